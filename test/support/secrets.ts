/**
 * The search for secrets where none may be. `startApi` does it behind the tests of every file: for whatever its tests
 * sent or were given, in all that was logged, answered as an error, or written to the audit log. `anInstallation` knows
 * the secrets of its environment only, and searches what the process wrote for them and for the shapes of ours.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

/** Shorter ones stand everywhere by chance: codes of six digits, passwords of tests that are refused. */
const shortest = 11;
/** As much of each as is unlikely to be anything else. */
const endingLength = 8;

const keyShape = /burgee_[asc]_[0-9A-Za-z]{36}/g;
/** Of sessions and links: 256 bits in base64url. Without a capital letter it is a name. */
const tokenShape = /(?<![\w-])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g;
/** What can be told for a secret wherever it stands. */
const hasShape = (text: string): boolean => [keyShape, tokenShape].some((shape) => text.search(shape) >= 0);

export interface Secrets {
  add(...secrets: (string | undefined)[]): void;
  /** Takes up what a request carries. */
  addSent(request: {
    readonly url: string;
    readonly headers: Record<string, unknown>;
    readonly payload?: string;
  }): void;
  /** Takes up what an answer gives out. */
  addAnswered(answer: { readonly text: string; readonly headers: Record<string, unknown> }): void;
  /**
   * Fails when one of them stands in the text, as it is or disguised. Words that it must name may stand there as they
   * are, unless they have the shape of a key or token.
   */
  requireNone(where: string, text: string, named?: readonly string[]): void;
}

export function createSecrets(): Secrets {
  const known = new Set<string>();
  /** The disguises by how they end: a text is read once, however many there are. Beginnings would be alike. */
  const byEnding = new Map<string, string[]>();
  /** By their last three characters, whether there are any. Looking up every ending would take a tenth of all tests. */
  const lastThree = new Uint8Array(1 << 18);
  const findIn = (text: string): string | undefined => {
    let last = 0;
    for (let end = 1; end <= text.length; end += 1) {
      last = withNext(last, text.charCodeAt(end - 1));
      if (lastThree[last] === 0 || end < endingLength) continue;
      const found = byEnding
        .get(text.slice(end - endingLength, end))
        ?.find((disguise) => text.startsWith(disguise, end - disguise.length));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const add = (...secrets: (string | undefined)[]) => {
    for (const secret of secrets) {
      // Addresses are no secrets, though tests of weak passwords try them as such.
      if (!secret || secret.length < shortest || secret.includes('@') || known.has(secret)) continue;
      known.add(secret);
      for (const disguise of disguisesOf(secret)) {
        const ending = disguise.slice(-endingLength);
        byEnding.set(ending, [...(byEnding.get(ending) ?? []), disguise]);
        lastThree[indexOf(ending)] = 1;
      }
    }
  };
  return {
    add,
    addSent: ({ url, headers, payload = '' }) => {
      add(...(decoded(url).match(keyShape) ?? []), ...(url.match(tokenShape) ?? []));
      for (const name of ['authorization', 'x-api-key', 'cookie']) add(lastWordOf(headers[name]));
      add(...secretMembersOf(payload));
    },
    addAnswered: ({ text, headers }) => {
      add(...(text.match(keyShape) ?? []), ...secretMembersOf(text));
      for (const line of [headers['set-cookie'] ?? []].flat()) add(/=([^;]+)/.exec(String(line))?.[1]);
    },
    requireNone: (where, text, named = []) => {
      const allowed = named.filter((word) => known.has(word) && !hasShape(word));
      const searched = allowed.reduce((rest, word) => rest.replaceAll(word, ''), text);
      const found = findIn(searched);
      assert.equal(found, undefined, `a secret is in ${where}: ${around(searched, found ?? '')}`);
    },
  };
}

/** Six bits of each of the last three characters. */
function indexOf(text: string): number {
  let index = 0;
  for (let at = 0; at < text.length; at += 1) index = withNext(index, text.charCodeAt(at));
  return index;
}

const withNext = (last: number, code: number): number => ((last << 6) | (code & 63)) & 0x3ffff;

/** The words of the path, not those of the query. */
export const wordsOfPath = (url: string): string[] => url.replace(/\?.*$/s, '').split('/').map(decoded);

/** Of a process only its output is at hand: what looks like a secret of ours must not be in its log. */
export function requireNoShapes(where: string, text: string): void {
  for (const shape of [keyShape, tokenShape]) {
    const [found] = text.match(shape) ?? [];
    assert.equal(found, undefined, `what looks like a secret is in ${where}: ${around(text, found ?? '')}`);
  }
}

/** As it is, in a URL, in base64, in JSON, and what the database keeps of it. */
export const disguisesOf = (secret: string): string[] => [
  ...new Set([
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    JSON.stringify(secret).slice(1, -1),
    createHash('sha256').update(secret).digest('hex'),
  ]),
];

const lastWordOf = (header: unknown): string | undefined => String(header ?? '').match(/[^\s=]+$/)?.[0];

/** As it is where it cannot be decoded. */
const decoded = (url: string): string => {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
};

const secretNames = new Set(['password', 'current', 'next', 'token', 'code', 'secret', 'recoveryCodes']);
/** Most texts have none of them, and a parser that calls back for each member is slow. A name may be escaped. */
const secretName = new RegExp(`"(?:${[...secretNames].join('|')})"|\\\\u`);

/** The values of members that have a secret by their name, wherever they stand. */
function secretMembersOf(text: string): string[] {
  const found: string[] = [];
  if (!secretName.test(text)) return found;
  try {
    JSON.parse(text, (name, value: unknown) => {
      if (secretNames.has(name)) found.push(...[value].flat().filter((one) => typeof one === 'string'));
      return value;
    });
  } catch {
    // What is not JSON has no members.
  }
  return found;
}

const around = (text: string, found: string): string => {
  const place = text.indexOf(found);
  return text.slice(Math.max(0, place - 200), place + found.length + 50);
};
