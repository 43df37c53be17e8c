/** Invitations, password changes, password resets and the setup of the first administrator. Each link works once. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { v7 as newId } from 'uuid';
import { mayEverything } from '#domain/access.ts';
import {
  invitationLifeMs,
  maxResetMails,
  resetFreshMs,
  resetLifeMs,
  resetMailsMs,
  type Setup,
} from '#domain/accounts.ts';
import { requireStrong } from '#domain/passwords.ts';
import { Problem } from '#domain/problems.ts';
import { emailKey, toUserReply, type User } from '#domain/users.ts';
import { hashPassword } from '#security/password-hash.ts';
import { hashOf, newToken, setupTokenOf } from '#security/secrets.ts';
import { findAccount, isSetupToken, saveSetupToken, takeSetupToken } from '#store/account.ts';
import * as store from '#store/accounts.ts';
import { findAdministratorsId } from '#store/groups.ts';
import { deleteMail, type Mail, putMail } from '#store/outbox.ts';
import { deleteSessionsOfUser } from '#store/sessions.ts';
import type { Reader, Tx } from '#store/sql.ts';
import { countAdministrators, findUser, insertUser, lockUser, saveUser } from '#store/users.ts';
import { type Context, type RecordingTx, readerOf, write, writeAlone } from './context.ts';
import { provePassword, requireProof } from './password-proof.ts';
import { actorOf, type Origin, objectOf, startSession } from './sessions.ts';

/** Part of inviting and re-inviting: creates a new link and queues the mail with it. */
export async function sendInvitation(tx: RecordingTx, user: User): Promise<void> {
  const invitedBy = await inviterOf(tx);
  await mailLink(tx, user, {
    mail: { kind: 'invitation', ...(invitedBy !== undefined && { invitedBy }) },
    lifeMs: invitationLifeMs,
    save: (userId, tokenHash, expiresAt) => store.saveInvitation(tx, { userId, tokenHash, expiresAt, invitedBy }),
  });
}

/** As the invited person reads it. The name of a key would say nothing to them. */
async function inviterOf(tx: RecordingTx): Promise<string | undefined> {
  if (tx.actor.type !== 'user') return undefined;
  const { name, email } = await findUser(tx, tx.actor.id, { kind: 'account' });
  return `${name} (${email})`;
}

interface Link {
  readonly mail: Pick<Mail, 'kind' | 'invitedBy'>;
  readonly lifeMs: number;
  readonly save: (userId: string, tokenHash: string, expiresAt: number) => Promise<number>;
}

/** The database stores only a hash of the token; the token itself is in the mail. */
async function mailLink(tx: Tx, { id, email, name }: User, { mail, lifeMs, save }: Link): Promise<void> {
  const token = newToken();
  const expiresAt = tx.now + lifeMs;
  await save(id, hashOf(token), expiresAt);
  await putMail(tx, newId(), id, { ...mail, email, name, token, expiresAt });
}

/**
 * Refuses to create, change or delete an administrator unless the actor has all permissions. Otherwise a key that may
 * invite people could make itself an administrator or take over an administrator's account.
 */
export async function requireRightOver(tx: RecordingTx, groupIds: readonly string[]): Promise<void> {
  if (mayEverything(tx.actor) || !groupIds.includes(await findAdministratorsId(tx))) return;
  throw new Problem('administrator_protected');
}

/** Mails a new link; the old one stops working. */
export const resendInvitation = (context: Context, userId: string) =>
  write(context, (tx) => resendInvitationIn(tx, userId));

export async function resendInvitationIn(tx: RecordingTx, userId: string) {
  const user = await lockUser(tx, userId);
  await requireRightOver(tx, user.groupIds);
  if (user.status !== 'PENDING') throw new Problem('invitation_not_pending');
  await sendInvitation(tx, user);
  await tx.record({ action: 'user.invited_again', object: objectOf(user) });
  return user;
}

export interface Acceptance extends Origin {
  readonly token: string;
  readonly name: string;
  readonly password: string;
}

/** Makes the invited user ACTIVE and signs them in. If several requests race, one succeeds. */
export async function acceptInvitation(context: Context, { password, ...accepted }: Acceptance) {
  const reader = readerOf(context);
  const invited = await findOpen(findInvitedUserId(reader, accepted.token), 'invitation_not_found');
  const { email } = await findUser(reader, invited, { kind: 'account' });
  await requireUnguessable(password, [accepted.name, email]);
  const passwordHash = await hashPassword(password);
  return write(context, (tx) => acceptInvitationIn(tx, { ...accepted, passwordHash }));
}

export async function acceptInvitationIn(
  tx: RecordingTx,
  { token, name, passwordHash, ...origin }: Omit<Acceptance, 'password'> & { readonly passwordHash: string },
) {
  const userId = await findOpen(findInvitedUserId(tx, token), 'invitation_not_found');
  const before = await lockInvited(tx, userId);
  if (!(await store.takeInvitation(tx, hashOf(token)))) throw new Problem('invitation_not_found');
  const after: User = { ...before, name, status: 'ACTIVE' };
  await deleteMail(tx, userId, 'invitation');
  await saveUser(tx, after);
  await store.savePassword(tx, userId, passwordHash);
  const started = await startSession(tx, after, origin);
  await tx.record({
    action: 'user.accepted',
    object: objectOf(after),
    actor: actorOf(after),
    before: toUserReply(before),
    after: toUserReply(after),
  });
  return started;
}

const findInvitedUserId = async (db: Reader, token: string): Promise<string | undefined> =>
  (await store.findInvitation(db, hashOf(token)))?.userId;

/** The user may have been deleted meanwhile, together with the invitation. */
const lockInvited = (tx: Tx, userId: string): Promise<User> =>
  lockUser(tx, userId).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'user_not_found' ? new Problem('invitation_not_found') : error;
  });

/** People may call themselves what they like; everything else about them is for administrators to change. */
export const changeName = (context: Context, { id }: User, name: string) =>
  write(context, async (tx) => {
    const before = await lockUser(tx, id);
    if (name === before.name) return tx.unchanged(before);
    const after: User = { ...before, name };
    await saveUser(tx, after);
    await tx.record({
      action: 'user.patched',
      object: objectOf(after),
      before: toUserReply(before),
      after: toUserReply(after),
    });
    return after;
  });

/** Requires the current password. Ends all sessions and starts a new one. */
export async function changePassword(
  context: Context,
  { user, current, next, ...origin }: Origin & { user: User; current: string; next: string },
) {
  const proof = await provePassword(context, user.id, current);
  await requireUnguessable(next, [user.name, user.email]);
  const passwordHash = await hashPassword(next);
  return writeAlone(context, async (tx) => {
    await requireProof(tx, proof);
    await replacePassword(tx, user.id, passwordHash);
    const started = await startSession(tx, user, origin);
    await tx.record({ action: 'user.password_changed', object: objectOf(user) });
    return started;
  });
}

/**
 * Queues a mail with a reset link if an active user has this address. That takes longer than doing nothing, so callers
 * must answer the request first.
 */
export const requestPasswordReset = (context: Context, email: string) =>
  write(context, async (tx) => {
    const credentials = await store.findCredentialsByEmail(tx, emailKey(email));
    const found = credentials?.status === 'ACTIVE' ? await lockUser(tx, credentials.userId) : undefined;
    const user = found?.status === 'ACTIVE' ? found : undefined;
    if (user && (await mayMailReset(tx, user.id))) {
      await mailLink(tx, user, {
        mail: { kind: 'password-reset' },
        lifeMs: resetLifeMs,
        save: (...link) => store.savePasswordReset(tx, ...link),
      });
      await store.saveResetMail(tx, user.id, tx.now - resetMailsMs);
    }
    await tx.record({
      action: 'user.password_reset_requested',
      object: user ? objectOf(user) : { type: 'user', id: 'unknown', name: email },
      touches: 'nothing',
    });
  });

/** Repeated requests by a stranger must neither invalidate a link that was just sent nor flood the mailbox. */
async function mayMailReset(tx: Tx, userId: string): Promise<boolean> {
  const endsAt = await store.findResetEnd(tx, userId);
  if (endsAt !== undefined && endsAt > tx.now + resetLifeMs - resetFreshMs) return false;
  return (await store.countResetMails(tx, userId, tx.now - resetMailsMs)) < maxResetMails;
}

/** Sets a new password with a reset link, and ends all sessions. */
export async function resetPassword(context: Context, { token, password }: { token: string; password: string }) {
  const reader = readerOf(context);
  const resetting = await findOpen(store.findResettingUserId(reader, hashOf(token)), 'reset_not_found');
  const { name, email } = await findUser(reader, resetting, { kind: 'account' });
  await requireUnguessable(password, [name, email]);
  const passwordHash = await hashPassword(password);
  return writeAlone(context, async (tx) => {
    const userId = await findOpen(store.findResettingUserId(tx, hashOf(token)), 'reset_not_found');
    const user = await lockUser(tx, userId);
    const isTaken = await store.takePasswordReset(tx, hashOf(token));
    if (!isTaken || user.status !== 'ACTIVE') throw new Problem('reset_not_found');
    await replacePassword(tx, userId, passwordHash);
    await tx.record({ action: 'user.password_reset', object: objectOf(user), actor: actorOf(user) });
    return true as const;
  });
}

/** A new password ends the user's sessions and open resets. */
async function replacePassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await store.savePassword(tx, userId, passwordHash);
  await endPasswordReset(tx, userId);
  await deleteSessionsOfUser(tx, userId);
}

/** Invalidates the link and removes its mail from the outbox. */
export async function endPasswordReset(tx: Tx, userId: string): Promise<void> {
  await store.deletePasswordReset(tx, userId);
  await deleteMail(tx, userId, 'password-reset');
}

async function findOpen(
  search: Promise<string | undefined>,
  otherwise: 'invitation_not_found' | 'reset_not_found',
): Promise<string> {
  const userId = await search;
  if (userId === undefined) throw new Problem(otherwise);
  return userId;
}

/** Whether an active administrator exists. */
async function hasAdministrator(db: Reader): Promise<boolean> {
  return (await countAdministrators(db, await findAdministratorsId(db))) > 0;
}

/** Returns the token of the setup link, or undefined once there is an administrator. */
export const offerSetup = (context: Context) =>
  write(context, async (tx) => {
    const account = await findAccount(tx);
    if (!account || (await hasAdministrator(tx))) return tx.unchanged(undefined);
    const token = setupTokenOf(account);
    if (await isSetupToken(tx, hashOf(token))) return tx.unchanged(token);
    await saveSetupToken(tx, hashOf(token));
    await tx.record({ action: 'account.setup_offered', object: { type: 'account', id: 'account', name: 'Burgee' } });
    return token;
  });

/** Creates the first administrator with the setup link, and signs in. */
export async function completeSetup(context: Context, { token, email, name, password, ...origin }: Setup & Origin) {
  const reader = readerOf(context);
  const isOpen = (await isSetupToken(reader, hashOf(token))) && !(await hasAdministrator(reader));
  // Check the token first: hashing is expensive, and anyone can send this request.
  if (!isOpen) throw new Problem('setup_refused');
  await requireUnguessable(password, [name, email]);
  const passwordHash = await hashPassword(password);
  return write(context, async (tx) => {
    if ((await hasAdministrator(tx)) || !(await takeSetupToken(tx, hashOf(token)))) throw new Problem('setup_refused');
    const user: User = {
      id: newId(),
      name,
      email,
      status: 'ACTIVE',
      twoFactor: false,
      groupIds: [await findAdministratorsId(tx)],
      createdAt: tx.now,
    };
    await insertUser(tx, user);
    await store.savePassword(tx, user.id, passwordHash);
    const started = await startSession(tx, user, origin);
    await tx.record({
      action: 'user.set_up',
      object: objectOf(user),
      actor: actorOf(user),
      after: toUserReply(user),
    });
    return started;
  });
}

async function requireUnguessable(password: string, words: readonly string[]): Promise<void> {
  leakedPasswords ??= loadLeakedPasswords();
  const leaked = await leakedPasswords;
  requireStrong(password, words, (text) => leaked.has(text));
}

/** Loaded with the first password that is set: it takes a fifth of the time in which most operator commands run. */
let leakedPasswords: Promise<ReadonlySet<string>> | undefined;

/** In a thread, because unpacking the list would block the event loop for 40 ms. */
async function loadLeakedPasswords(): Promise<ReadonlySet<string>> {
  const worker = new Worker(new URL('leaked-passwords-worker.ts', import.meta.url));
  const [passwords] = (await once(worker, 'message')) as [readonly string[]];
  return new Set(passwords);
}
