/**
 * Password hashes: Argon2id (RFC 9106) as PHC strings.
 *
 * Argon2 runs in libuv's pool of four threads, like compression and SQLite's flushes. At most two hashes run at a time
 * and compression uses one thread, so one is always free for flushes. Only few can wait, so that waiting requests are
 * answered soon.
 */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { normalized } from '#domain/passwords.ts';
import { Problem } from '#domain/problems.ts';

/** Parameters of new hashes. A stored hash is verified with its own. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;

const maxRunning = 2;
/** About a second's worth. */
const maxWaiting = 50;

let running = 0;
const waiting: (() => void)[] = [];

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2);

/** Refuses with `busy` if too many are waiting. */
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
    // The next waiting one takes the slot, so that no newcomer can.
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

/** Whether the hash was made with other parameters than new ones. */
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

/** A hash without a password, new at each start, so that unknown addresses take as long as known ones. */
const nobody = toPhc(randomBytes(16), randomBytes(tagLength));
