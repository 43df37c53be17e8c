/**
 * Proof that the caller knows the password. Hashing is slow, so it runs before the transaction, which then checks that
 * the proof still holds.
 */
import { Problem } from '#domain/problems.ts';
import type { User } from '#domain/users.ts';
import { isPassword } from '#security/password-hash.ts';
import { type Credentials, findCredentials } from '#store/accounts.ts';
import type { Tx } from '#store/sql.ts';
import { lockUser } from '#store/users.ts';
import { type Context, readerOf } from './context.ts';

/** Returns the credentials that match the password, or refuses with `password_wrong`. */
export async function provePassword(context: Context, userId: string, password: string): Promise<Credentials> {
  const credentials = await findCredentials(readerOf(context), userId);
  if (!credentials || !(await isPassword(password, credentials.passwordHash))) throw new Problem('password_wrong');
  return credentials;
}

/** Returns the locked user. Refuses if the password or the status changed since the proof. */
export async function requireProof(tx: Tx, { userId, passwordHash }: Credentials): Promise<User> {
  const user = await lockUser(tx, userId);
  const now = await findCredentials(tx, userId);
  if (user.status !== 'ACTIVE' || now?.passwordHash !== passwordHash) throw new Problem('password_wrong');
  return user;
}
