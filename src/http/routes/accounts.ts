import { renderSVG } from 'uqr';
import {
  acceptInvitation,
  changeName,
  changePassword,
  completeSetup,
  requestPasswordReset,
  resendInvitation,
  resetPassword,
} from '#commands/accounts.ts';
import { actorOfPerson, requireSecondFactor } from '#commands/actors.ts';
import { changeReminders } from '#commands/reminders.ts';
import { endSession, type StartedSession, signIn } from '#commands/sessions.ts';
import { confirmTwoFactor, offerTwoFactor, removeTwoFactor } from '#commands/two-factor.ts';
import { unwatchFlag, watchFlag } from '#commands/watches.ts';
import * as contract from '#contract/accounts.ts';
import { mayEverything } from '#domain/access.ts';
import type { SessionView, WaitingMail } from '#domain/accounts.ts';
import { Problem } from '#domain/problems.ts';
import { emailKey, toUserReply } from '#domain/users.ts';
import { hashOf } from '#security/secrets.ts';
import { isSetupToken } from '#store/account.ts';
import { findInvitation, findResettingUserId } from '#store/accounts.ts';
import { countWaitingChangesets } from '#store/changesets.ts';
import { findAdministratorsId } from '#store/groups.ts';
import { listMails, listMailsToMembers, type MailEntry, pathOf } from '#store/outbox.ts';
import { isReminded } from '#store/reminders.ts';
import { findSignedIn, listSessions, type SignedIn } from '#store/sessions.ts';
import type { Reader } from '#store/sql.ts';
import { countAdministrators, findUser } from '#store/users.ts';
import { findWatchMails, listWatches } from '#store/watches.ts';
import type { Throttles } from '../limits/throttle.ts';
import { implement } from '../pipeline/implement.ts';
import type { SessionCookie } from '../pipeline/session-cookie.ts';

/** Starts work after the answer is sent, so that response times reveal nothing about it. Refuses with `busy`. */
export type AfterReply = (work: () => Promise<unknown>) => void;

export const accounts = (
  db: Reader,
  { attempt, rightPassword, signedIn }: Throttles,
  afterReply: AfterReply,
  sendsMail: boolean,
) => {
  const userOf = (id: string) => findUser(db, id, { kind: 'account' });
  const begin = async (cookie: SessionCookie, { token }: StartedSession) => {
    cookie.start(token);
    const person = await findSignedIn(db, hashOf(token));
    // The session was ended at the same moment.
    if (!person) throw new Problem('signed_out');
    return toSessionView(db, person, sendsMail);
  };
  /** Failed guesses count against the address and the account. */
  const guarded = async <Result>(address: string, account: string | undefined, body: () => Promise<Result>) => {
    const { succeeded, takeBack } = attempt(address, account);
    try {
      const result = await body();
      succeeded();
      return result;
    } catch (error) {
      if (error instanceof Problem && error.kind === 'unavailable') takeBack();
      throw error;
    }
  };
  const viewOf = async (userId: string | undefined, otherwise: 'invitation_not_found' | 'reset_not_found') => {
    if (userId === undefined) throw new Problem(otherwise);
    const { email, name } = await userOf(userId);
    return { email, name };
  };
  return implement(contract, {
    getInvitation: async ({ params, origin }) =>
      guarded(origin.address, undefined, async () => {
        const invitation = await findInvitation(db, hashOf(params.token));
        const view = await viewOf(invitation?.userId, 'invitation_not_found');
        return invitation?.invitedBy ? { ...view, invitedBy: invitation.invitedBy } : view;
      }),
    acceptInvitation: async ({ context, params, body, origin, cookie }) =>
      guarded(origin.address, undefined, async () =>
        begin(cookie, await acceptInvitation(context, { ...body, ...origin, token: params.token })),
      ),
    resendInvitation: async ({ context, params }) => toUserReply(await resendInvitation(context, params.user)),
    listOutbox: async ({ actor }) =>
      (await (mayEverything(actor) ? listMails(db) : listMailsToMembers(db))).map(toWaitingMail),
    signIn: async ({ context, body: { email, password, code }, origin, cookie }) =>
      guarded(origin.address, emailKey(email), async () => {
        const started = await signIn(context, { email, password, code, ...origin, passwordIsRight: rightPassword });
        signedIn(started.session.userId);
        return begin(cookie, started);
      }),
    getSession: async ({ person }) => toSessionView(db, person, sendsMail),
    signOut: async ({ context, user, session, cookie }) => {
      cookie.end();
      return endSession(context, { user, id: session.id });
    },
    listSessions: async ({ user, session }) =>
      (await listSessions(db, user.id)).map((one) => ({ ...one, current: one.id === session.id })),
    endSession: async ({ context, user, params }) => endSession(context, { user, id: params.session }),
    changePassword: async ({ context, user, body, origin, cookie }) =>
      guarded(origin.address, user.id, async () =>
        begin(cookie, await changePassword(context, { user, ...body, ...origin })),
      ),
    changeName: async ({ context, user, body }) => toUserReply(await changeName(context, user, body.name)),
    getReminders: async ({ user: { id } }) => ({
      cleanup: await isReminded(db, id),
      watched: await findWatchMails(db, id),
    }),
    changeReminders: async ({ context, user, body }) => changeReminders(context, user, body),
    listWatches: async ({ person }) => {
      requireSecondFactor(person);
      return listWatches(db, person.user.id, actorOfPerson(person).scope);
    },
    watchFlag: async ({ context, person, params }) => {
      requireSecondFactor(person);
      return watchFlag(context, params.watchedFlag);
    },
    unwatchFlag: async ({ context, params }) => unwatchFlag(context, params.watchedFlag),
    requestPasswordReset: async ({ context, body: { email }, origin }) => {
      // Each of these may send a mail, so each counts.
      attempt(origin.address, `reset ${emailKey(email)}`);
      afterReply(() => requestPasswordReset(context, email));
      return true;
    },
    getPasswordReset: async ({ params, origin }) =>
      guarded(origin.address, undefined, async () =>
        viewOf(await findResettingUserId(db, hashOf(params.token)), 'reset_not_found'),
      ),
    resetPassword: async ({ context, params, body, origin }) =>
      guarded(origin.address, undefined, () =>
        resetPassword(context, { token: params.token, password: body.password }),
      ),
    offerTwoFactor: async ({ context, user, body, origin }) =>
      guarded(origin.address, user.id, async () => {
        const { secret, uri } = await offerTwoFactor(context, user, body.password);
        return { secret, uri, qr: renderSVG(uri) };
      }),
    confirmTwoFactor: async ({ context, user, body, origin }) =>
      guarded(origin.address, user.id, async () => ({
        recoveryCodes: await confirmTwoFactor(context, user, body.code),
      })),
    removeTwoFactor: async ({ context, user, body, origin }) =>
      guarded(origin.address, user.id, () => removeTwoFactor(context, user, body.password)),
    getSetup: async ({ query: { token }, origin }) => {
      const required = (await countAdministrators(db, await findAdministratorsId(db))) === 0;
      if (required && token !== undefined) await guarded(origin.address, undefined, () => requireSetupToken(db, token));
      return { required };
    },
    completeSetup: async ({ context, body, origin, cookie }) =>
      guarded(origin.address, undefined, async () =>
        begin(cookie, await completeSetup(context, { ...body, ...origin })),
      ),
  });
};

async function toSessionView(db: Reader, person: SignedIn, sendsMail: boolean): Promise<SessionView> {
  const actor = actorOfPerson(person);
  const { user, session, isAdministrator, lacksSecondFactor } = person;
  return {
    id: session.id,
    user: toUserReply(user),
    administrator: isAdministrator,
    permissions: [...actor.permissions],
    projects: isAdministrator ? 'all' : 'listed',
    createdAt: session.createdAt,
    waiting: await countWaitingChangesets(db, actor),
    sendsMail,
    mustSetUpTwoFactor: lacksSecondFactor,
  };
}

function toWaitingMail({ id, payload: mail, createdAt, attempts, lastError, givenUpAt }: MailEntry): WaitingMail {
  const { kind, email, expiresAt } = mail;
  return {
    id,
    kind,
    email,
    path: pathOf(mail),
    createdAt,
    expiresAt,
    attempts,
    ...(lastError === undefined ? {} : { lastError }),
    ...(givenUpAt === undefined ? {} : { givenUpAt }),
  };
}

async function requireSetupToken(db: Reader, token: string): Promise<void> {
  if (!(await isSetupToken(db, hashOf(token)))) throw new Problem('setup_refused');
}
