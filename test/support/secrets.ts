/**
 * Searches for leaked secrets. After the tests of each file, `startApi` takes every secret that they sent or received
 * and looks for it in the log, in error responses and in the audit log. `anInstallation` knows only the secrets in its
 * environment: it searches the output of the process for those, and for anything that looks like a key or token.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

/** Shorter ones occur everywhere by chance, such as six-digit codes and refused passwords. */
const shortest = 11;
/** Long enough not to occur by chance. */
const endingLength = 8;

const keyShape = /burgee_[asc]_[0-9A-Za-z]{36}/g;
/** Sessions and links: 256 bits in base64url. Without a capital letter, it is a name. */
const tokenShape = /(?<![\w-])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g;
/** Recognisable as a secret anywhere. */
const hasShape = (text: string): boolean => [keyShape, tokenShape].some((shape) => text.search(shape) >= 0);

export interface Secrets {
  add(...secrets: (string | undefined)[]): void;
  /** Adds the secrets in a request. */
  addSent(request: {
    readonly url: string;
    readonly headers: Record<string, unknown>;
    readonly payload?: string;
  }): void;
  /** Adds the secrets in a response. */
  addAnswered(answer: { readonly text: string; readonly headers: Record<string, unknown> }): void;
  /**
   * Fails if the text contains one of them, plain or encoded. `named` words are allowed, unless they look like a key
   * or token.
   */
  requireNone(where: string, text: string, named?: readonly string[]): void;
}

export function createSecrets(): Secrets {
  const known = new Set<string>();
  /** Encoded forms by their last characters, so that a text is read once. Many begin alike. */
  const byEnding = new Map<string, string[]>();
  /** Whether any of them ends with these three characters: looking up every ending took a fifth of the admin tests. */
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
      // Addresses are not secrets, although the tests of weak passwords try them.
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

/** For processes: nothing in the output may look like one of our secrets. */
export function requireNoShapes(where: string, text: string): void {
  for (const shape of [keyShape, tokenShape]) {
    const [found] = text.match(shape) ?? [];
    assert.equal(found, undefined, `what looks like a secret is in ${where}: ${around(text, found ?? '')}`);
  }
}

/** Plain, URL-encoded, base64, in JSON, and the hash that the database stores. */
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

/** Unchanged if it cannot be decoded. */
const decoded = (url: string): string => {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
};

const secretNames = new Set(['password', 'current', 'next', 'token', 'code', 'secret', 'recoveryCodes']);
/** Most texts have none, and a reviver makes parsing slow. Names may be escaped. */
const secretName = new RegExp(`"(?:${[...secretNames].join('|')})"|\\\\u`);

/** The values of members whose name says that they are secret, at any depth. */
function secretMembersOf(text: string): string[] {
  const found: string[] = [];
  if (!secretName.test(text)) return found;
  try {
    JSON.parse(text, (name, value: unknown) => {
      if (secretNames.has(name)) found.push(...[value].flat().filter((one) => typeof one === 'string'));
      return value;
    });
  } catch {
    // Not JSON, so it has no members.
  }
  return found;
}

const around = (text: string, found: string): string => {
  const place = text.indexOf(found);
  return text.slice(Math.max(0, place - 200), place + found.length + 50);
};
