/** API keys and link tokens. Only their hashes are stored. */
import { createHmac, hash, randomBytes, randomInt } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import type { ApiKeyType } from '#domain/api-keys.ts';

const letters: Record<ApiKeyType, string> = { admin: 'a', server_side: 's', client_side: 'c' };
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;

/** `burgee_<type letter>_<30 random base62><6 base62 of a CRC32>`, recognisable by secret scanners. */
export function newKeyText(type: ApiKeyType): string {
  const random = Array.from({ length: randomLength }, () => base62[randomInt(base62.length)]).join('');
  const body = `burgee_${letters[type]}_${random}`;
  return body + checksumOf(body);
}

/** False for a text that looks like one of our keys but has the wrong length or checksum. */
export function mayBeKey(text: string): boolean {
  if (!/^burgee_[asc]_/.test(text)) return true;
  const body = text.slice(0, -checksumLength);
  return body.length === 'burgee_a_'.length + randomLength && checksumOf(body) === text.slice(-checksumLength);
}

const scheme = 'bearer ';

/** The key that a request sends. Without a regular expression: every poll has a key. */
export function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization = '', 'x-api-key': apiKey } = headers;
  const isBearer = authorization.slice(0, scheme.length).toLowerCase() === scheme;
  const bearer = isBearer ? authorization.slice(scheme.length).trim() : '';
  if (bearer !== '' && !bearer.includes(' ')) return bearer;
  return typeof apiKey === 'string' && apiKey !== '' ? apiKey : undefined;
}

/** Keys and tokens are long and random, so a fast hash is enough. */
export const hashOf = (secret: string): string => hash('sha256', secret);

/**
 * The token of the setup link. It is the same for an account at all times, so that every start and every node can print
 * a working link without invalidating another. Anyone with access to the database can do all of this anyway.
 */
export const setupTokenOf = ({ markerSecret }: { readonly markerSecret: string }): string =>
  createHmac('sha256', markerSecret).update('set-up link').digest('base64url');

/** 256 random bits, safe for URLs. */
export const newToken = (): string => randomBytes(32).toString('base64url');

function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let place = 0; place < checksumLength; place += 1) {
    digits = base62[rest % base62.length] + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}
