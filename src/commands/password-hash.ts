/** Passwords are stored as Argon2id (RFC 9106), 19 MiB of memory, 2 passes, 1 lane, in the usual text form. */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { normalized } from '#domain/passwords.ts';

const memory = 19_456;
const passes = 2;
const parallelism = 1;
const tagLength = 32;
const prefix = `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2);
const tagOf = (password: string, nonce: Buffer) =>
  derive('argon2id', {
    message: Buffer.from(normalized(password)),
    nonce,
    memory,
    passes,
    parallelism,
    tagLength,
  });

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  return `${prefix}${base64(nonce)}$${base64(await tagOf(password, nonce))}`;
}

/** A hash that no password has, made anew each start: who has no account waits as long as who has one. */
const nobody = `${prefix}${base64(randomBytes(16))}$${base64(randomBytes(tagLength))}`;

export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, nonce = '', tag = ''] = /\$([^$]+)\$([^$]+)$/.exec(hash ?? nobody) ?? [];
  const expected = Buffer.from(tag, 'base64');
  const actual = await tagOf(password, Buffer.from(nonce, 'base64'));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
