import { v7 as newId } from 'uuid';
import type { Actor } from '#domain/access.ts';
import { Problem } from '#domain/problems.ts';
import { emailKey, isEmail, type User } from '#domain/users.ts';
import { hashPassword, isOutdated, isPassword } from '#security/password-hash.ts';
import { hashOf, newToken } from '#security/secrets.ts';
import { type Credentials, findCredentials, findCredentialsByEmail, savePassword } from '#store/accounts.ts';
import { deleteSession, insertSession, type Session } from '#store/sessions.ts';
import type { Tx } from '#store/sql.ts';
import { lockUser } from '#store/users.ts';
import { type Context, type Entry, type RecordingTx, readerOf, write, writeAlone } from './context.ts';
import { useCode } from './two-factor.ts';

/** Where a session was started from. */
export interface Origin {
  readonly address: string;
  readonly agent: string;
}

export interface StartedSession {
  readonly session: Session;
  /** For the cookie; stored only as a hash. */
  readonly token: string;
}

export interface Attempt extends Origin {
  readonly email: string;
  readonly password: string;
  readonly code: string | undefined;
  /** Called when the password is correct, before the code is checked. May refuse. */
  readonly passwordIsRight: (userId: string) => void;
}

/**
 * Starts a session if email, password and, with two-factor authentication, the code are correct. Failures are
 * recorded, including a correct password without a code. They take the same time whether or not the account exists.
 */
export async function signIn(context: Context, attempt: Attempt): Promise<StartedSession> {
  const credentials = await findCredentialsByEmail(readerOf(context), emailKey(attempt.email));
  const isRight = await isPassword(attempt.password, credentials?.passwordHash);
  if (isRight && credentials) attempt.passwordIsRight(credentials.userId);
  const newHash =
    isRight && credentials?.passwordHash && isOutdated(credentials.passwordHash)
      ? await hashPassword(attempt.password)
      : undefined;
  const outcome = await write(context, (tx) => decide(tx, attempt, { credentials, isRight, newHash }));
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome;
}

interface Judged {
  readonly credentials: Credentials | undefined;
  readonly isRight: boolean;
  /** Set if the stored hash was made with other parameters than today's. */
  readonly newHash: string | undefined;
}

async function decide(tx: RecordingTx, attempt: Attempt, { credentials, isRight, newHash }: Judged) {
  const refusedWith = async (refusal: Problem, action: Entry['action'] = 'session.refused') => {
    // People sometimes type their password into this field, so only addresses are recorded.
    const name = isEmail(attempt.email) ? attempt.email : 'not an email address';
    const object = { type: 'user', id: credentials?.userId ?? 'unknown', name } as const;
    await tx.record({ action, object, touches: 'nothing' });
    return { refusal };
  };
  if (!credentials || !isRight) return refusedWith(new Problem('credentials_invalid'));
  const user = await lockUser(tx, credentials.userId);
  const unchanged = (await findCredentials(tx, user.id))?.passwordHash === credentials.passwordHash;
  if (user.status === 'DEACTIVATED') return refusedWith(new Problem('account_deactivated'));
  if (user.status !== 'ACTIVE' || !unchanged) return refusedWith(new Problem('credentials_invalid'));
  if (user.twoFactor) {
    if (!attempt.code) return refusedWith(new Problem('code_required'), 'session.code_required');
    if (!(await useCode(tx, user.id, attempt.code))) return refusedWith(new Problem('credentials_invalid'));
  }
  if (newHash !== undefined) await savePassword(tx, user.id, newHash);
  const started = await startSession(tx, user, attempt);
  await tx.record({ action: 'session.started', object: objectOf(user), actor: actorOf(user) });
  return started;
}

/** Part of every command that signs a user in. */
export async function startSession(tx: Tx, user: User, { address, agent }: Origin): Promise<StartedSession> {
  const token = newToken();
  const session: Session = {
    id: newId(),
    userId: user.id,
    address,
    agent: agent.slice(0, 300),
    createdAt: tx.now,
    lastSeenAt: tx.now,
  };
  await insertSession(tx, session, hashOf(token));
  return { session, token };
}

/** Ends one of the user's sessions: the current one (sign-out) or another. */
export const endSession = (context: Context, { user, id }: { user: User; id: string }) =>
  writeAlone(context, async (tx) => {
    if ((await deleteSession(tx, user.id, id)) === 0) throw new Problem('session_not_found', { nameOrId: id });
    await tx.record({ action: 'session.ended', object: objectOf(user) });
    return true as const;
  });

export const objectOf = ({ id, email }: User) => ({ type: 'user' as const, id, name: email });
export const actorOf = ({ id, email }: User): Pick<Actor, 'type' | 'id' | 'name'> => ({
  type: 'user',
  id,
  name: email,
});
