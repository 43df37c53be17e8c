/** Texts that must not be guessed: API keys and the tokens of links. Only their hashes are stored. */
import { createHmac, hash, randomBytes, randomInt } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import type { ApiKeyType } from '#domain/api-keys.ts';

const letters: Record<ApiKeyType, string> = { admin: 'a', server_side: 's', client_side: 'c' };
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;

/** `burgee_<type letter>_<30 random base62><6 base62 of a CRC32>`: secret scanners can recognise it, and so can we. */
export function newKeyText(type: ApiKeyType): string {
  const random = Array.from({ length: randomLength }, () => base62[randomInt(base62.length)]).join('');
  const body = `burgee_${letters[type]}_${random}`;
  return body + checksumOf(body);
}

/** False for a text that claims to be a key of our making but has the wrong length or checksum. */
export function mayBeKey(text: string): boolean {
  if (!/^burgee_[asc]_/.test(text)) return true;
  const body = text.slice(0, -checksumLength);
  return body.length === 'burgee_a_'.length + randomLength && checksumOf(body) === text.slice(-checksumLength);
}

/** The text that a request sends as its key. */
export function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const apiKey = headers['x-api-key'];
  return bearer ?? (typeof apiKey === 'string' && apiKey !== '' ? apiKey : undefined);
}

/** Keys and tokens are long and random, so a fast hash is enough: there is nothing to try out. */
export const hashOf = (secret: string): string => hash('sha256', secret);

/**
 * The token of the link for the first administrator. Always the same for an account, so that every start, and every node,
 * can print a link that works, and none ends another. Anyone with access to the database can do all of this anyway.
 */
export const setupTokenOf = ({ markerSecret }: { readonly markerSecret: string }): string =>
  createHmac('sha256', markerSecret).update('set-up link').digest('base64url');

/** 256 random bits, as text that fits into a link. */
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
