/** Two-factor authentication: TOTP (RFC 6238), six digits, thirty seconds, one step of drift; each code works once. */
import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { Problem } from '#domain/problems.ts';
import type { User } from '#domain/users.ts';
import { hashOf } from '#security/secrets.ts';
import { findServerSettings } from '#store/server.ts';
import type { Tx } from '#store/sql.ts';
import * as store from '#store/two-factor.ts';
import { lockUser } from '#store/users.ts';
import { type Context, write } from './context.ts';
import { provePassword, requireProof } from './password-proof.ts';

const totp = (secret: string, label = '') =>
  new TOTP({ issuer: 'Burgee', label, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 });

/** Requires the password. Creates a secret that a code must confirm; replaces an earlier unconfirmed one. */
export async function offerTwoFactor(context: Context, user: User, password: string) {
  const proof = await provePassword(context, user.id, password);
  return write(context, async (tx) => {
    const { twoFactor } = await requireProof(tx, proof);
    if (twoFactor) throw new Problem('two_factor_on');
    const secret = new Secret({ size: 20 }).base32;
    await store.saveOfferedSecret(tx, user.id, secret);
    await tx.record({ action: 'user.two_factor_offered', object: { type: 'user', id: user.id, name: user.email } });
    return { secret, uri: totp(secret, user.email).toString() };
  });
}

/** Turns two-factor authentication on. Returns the recovery codes, which are stored only as hashes. */
export const confirmTwoFactor = (context: Context, user: User, code: string) =>
  write(context, async (tx) => {
    await lockUser(tx, user.id);
    const { offered } = await store.findTwoFactor(tx, user.id);
    if (!offered) throw new Problem('two_factor_not_offered');
    const step = stepOf(offered, code, tx.now);
    if (step === undefined) throw new Problem('two_factor_code_wrong');
    const codes = Array.from({ length: 10 }, newRecoveryCode);
    const codeHashes = codes.map((one) => recoveryHash(user.id, one));
    await store.saveTwoFactor(tx, user.id, { secret: offered, step, codeHashes });
    await tx.record({ action: 'user.two_factor_enabled', object: { type: 'user', id: user.id, name: user.email } });
    return codes;
  });

/** Requires the password. Turns two-factor authentication off. */
export async function removeTwoFactor(context: Context, user: User, password: string): Promise<true> {
  const proof = await provePassword(context, user.id, password);
  return write(context, async (tx) => {
    await requireProof(tx, proof);
    if ((await findServerSettings(tx)).twoFactorRequired) throw new Problem('second_factor_required');
    await store.deleteTwoFactor(tx, user.id);
    await tx.record({ action: 'user.two_factor_disabled', object: { type: 'user', id: user.id, name: user.email } });
    return true as const;
  });
}

/** Consumes a code from the device or a recovery code. False if it is wrong or was used before. */
export async function useCode(tx: Tx, userId: string, code: string): Promise<boolean> {
  const { secret, lastStep } = await store.findTwoFactor(tx, userId);
  const step = secret && /^\d{6}$/.test(code.trim()) ? stepOf(secret, code.trim(), tx.now) : undefined;
  if (step === undefined) return store.takeRecoveryCode(tx, userId, recoveryHash(userId, code));
  if (step <= lastStep) return false;
  await store.saveUsedStep(tx, userId, step);
  return true;
}

/** The time step of this code, if it is the current one or a neighbour. */
function stepOf(secret: string, code: string, now: number): number | undefined {
  const generator = totp(secret);
  const drift = generator.validate({ token: code, timestamp: now, window: 1 });
  return drift === null ? undefined : generator.counter({ timestamp: now }) + drift;
}

/** Without characters that look alike. 49 bits are enough: a code works once, and sign-in is throttled. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const newRecoveryCode = (): string => {
  const characters = Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${characters.slice(0, 5)}-${characters.slice(5)}`;
};
const recoveryHash = (userId: string, code: string) =>
  hashOf(`${userId} ${code.toLowerCase().replaceAll(/[\s-]/g, '')}`);
