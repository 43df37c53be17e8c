/**
 * Passwords are stored as Argon2id (RFC 9106) in the usual text form, the PHC string.
 *
 * Argon2 runs in libuv's pool of four threads, where compression and SQLite's flushes to the disk run too. At most two
 * hashes run at a time; compression takes one thread, so one is always left for flushes. Few may wait, so that those who
 * wait are answered soon.
 */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { normalized } from '#domain/passwords.ts';
import { Problem } from '#domain/problems.ts';

/** What new hashes are made with. A stored hash is verified with the cost that it names itself. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;

const maxRunning = 2;
/** About a second's worth. */
const maxWaiting = 50;

let running = 0;
const waiting: (() => void)[] = [];

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2);

/** Refuses with `busy` when too many wait already. */
async function deriveInTurn(parameters: Argon2Parameters): Promise<Buffer> {
  if (running < maxRunning) running += 1;
  else {
    if (waiting.length >= maxWaiting) throw new Problem('busy', { seconds: 2 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  try {
    return await derive('argon2id', parameters);
  } finally {
    const next = waiting.shift();
    // The next in line takes the place over, so nobody who comes in between gets it.
    if (next) next();
    else running -= 1;
  }
}

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const message = Buffer.from(normalized(password));
  return toPhc(nonce, await deriveInTurn({ ...cost, message, nonce, tagLength }));
}

export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const { nonce, tag, ...stored } = fromPhc(hash ?? nobody);
  const message = Buffer.from(normalized(password));
  return timingSafeEqual(tag, await deriveInTurn({ ...stored, message, nonce, tagLength: tag.length }));
}

/** The hash was made with another cost than new ones are. */
export const isOutdated = (hash: string): boolean => !hash.startsWith(prefixOf(cost));

const prefixOf = ({ memory, passes, parallelism }: typeof cost) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
const toPhc = (nonce: Buffer, tag: Buffer) => `${prefixOf(cost)}${base64(nonce)}$${base64(tag)}`;

function fromPhc(hash: string) {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  if (!found) throw new Error('a stored password is not an Argon2id hash');
  const [, memory, passes, parallelism, nonce = '', tag = ''] = found;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

/** A hash that no password has, made anew each start: an unknown address takes as long as a known one. */
const nobody = toPhc(randomBytes(16), randomBytes(tagLength));
