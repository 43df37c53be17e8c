/** Invalid paths, queries, headers and methods, everything except bodies. */

import type { TSchema } from 'typebox';
import { needsNobody } from '#contract/endpoint.ts';
import { everyEndpoint, type NamedEndpoint, paramsOf, pathWith } from './every-endpoint.ts';
import type { Hostile } from './hostile-requests.ts';

/** Words that name nothing, by what is strange about them. They are put into the path as they are. */
const strangeWords: Record<string, readonly string[]> = {
  'dots and slashes': [
    ...['..', '.', '...', '%2e', '%2e%2e', '%2E%2E%2F', '..%2f', '..%2F..%2F..%2Fetc%2Fpasswd', '%2f', '%2F%2F', '%5c'],
    ...[
      '..%5c..%5c',
      '%252e%252e%252f',
      '.%2e',
      '%2e.',
      'a%2fb',
      'a%2F..%2Fb',
      ';',
      ';a=b',
      'a;b',
      '%3b',
      '%3f',
      '%23',
    ],
  ],
  'not UTF-8': ['%ff', '%c0%ae%c0%ae', '%c0%af', '%ed%a0%80', '%f5%80%80%80', '%e2%82', '%80', '%fe%ff'],
  'not percent-encoded': ['%', '%z', '%zz', '%1', '%u0041', 'a%', '%%'],
  NUL: ['%00', 'a%00', '%00a', 'a%00b'],
  'inherited names': ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'length'],
  'words of databases': [
    `'`,
    `%22`,
    `'%20or%201=1--`,
    `%25`,
    '_',
    `a%27;drop%20table%20users;--`,
    '$1',
    '%3Cscript%3E',
  ],
  'long words': ['x'.repeat(256), 'x'.repeat(2_000), 'x'.repeat(2_001), 'x'.repeat(20_000), '%F0%9F%9A%A9'.repeat(500)],
  'strange letters': [
    '%F0%9F%9A%A9',
    '%E2%80%AE',
    '%EF%BB%BF',
    '%E2%80%8B',
    '%0a',
    '%0d%0aX:%20y',
    '%7f',
    '%1b%5b31m',
    '+',
    '%20',
    '*',
    '~',
  ],
  'null and numbers': [
    'null',
    'undefined',
    'NaN',
    '-1',
    '0',
    '1e400',
    '9007199254740993',
    'true',
    '[object%20Object]',
    '{}',
  ],
};

/** Those that must name something. An own view that is not there counts as deleted. */
export const paramsThatFind = (endpoint: NamedEndpoint): string[] =>
  paramsOf(endpoint).filter(
    (param) => !(endpoint.method === 'DELETE' && endpoint.path.endsWith('/own/:view') && param === 'view'),
  );

export function* hostilePaths(): Generator<Hostile> {
  for (const endpoint of everyEndpoint) {
    for (const param of paramsThatFind(endpoint)) {
      for (const [kind, words] of Object.entries(strangeWords)) {
        for (const strange of words) {
          yield { kind: `path: ${kind}`, endpoint, params: { [param]: strange }, ...bodyOf(endpoint) };
        }
      }
    }
  }
}

/** What would be fine if the path were: the path alone is what is wrong. */
const bodyOf = ({ body, looseBody }: NamedEndpoint): Pick<Hostile, 'body'> => (body || looseBody ? { body: '[]' } : {});

interface Keywords {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

const markers = [
  'x',
  '',
  '%20',
  '_'.repeat(3_000),
  'MTIzX19hYmM',
  `${'A'.repeat(60)}`,
  'null',
  '%F0%9F%9A%A9',
  '../..',
  '0',
];

/** Values of a query that its schema refuses. */
function* strangeValues(name: string, schema: TSchema): Generator<[kind: string, value: string]> {
  const { type, enum: choices, minimum, maximum, maxLength, maxItems } = schema as Keywords;
  if (type === 'integer') {
    for (const text of ['', 'text', '1.5', '1e3', '0x10', ' 1', '1%20', '%2B1', '--1', 'NaN', 'Infinity', '1,2', '١'])
      yield ['query: not a number', encodeURI(text).replaceAll('%25', '%')];
    for (const text of ['9'.repeat(400), `-${'9'.repeat(400)}`]) yield ['query: beyond all numbers', text];
    if (minimum !== undefined)
      for (const text of [minimum - 1, minimum - 10 ** 12]) yield ['query: limits', BigInt(text).toString()];
    if (maximum !== undefined) for (const text of ['9007199254740993', '9'.repeat(30)]) yield ['query: limits', text];
  }
  if (choices) {
    const unknown = ['nope', '', '__proto__', `${choices[0]}%20`].filter((text) => !choices.includes(text));
    for (const text of unknown) yield ['query: unknown word', text];
  }
  if (maxLength !== undefined) yield ['query: over a limit', 'x'.repeat(maxLength + 1)];
  // Whether or not a limit is declared: no text of this length means anything, and databases have limits of their own.
  if (type !== 'integer') yield ['query: a text of 60,000 characters', 'x'.repeat(60_000)];
  if (maxItems !== undefined)
    yield ['query: over a limit', Array.from({ length: maxItems + 1 }, () => 'x').join(`&${name}=`)];
  if (type !== 'array') yield ['query: twice', `a&${name}=b`];
  if (type !== 'array')
    yield ['query: 10,000 times', 'a'.concat(`&${name}=a`.repeat(Math.floor(50_000 / (name.length + 3))))];
  if (name === 'after' || name === 'before') for (const text of markers) yield ['query: foreign markers', text];
  yield ['query: NUL', '%00'];
}

export function* hostileQueries(): Generator<Hostile> {
  for (const endpoint of everyEndpoint) {
    const { properties = {}, required = [] } = (endpoint.query ?? {}) as {
      properties?: Record<string, TSchema>;
      required?: string[];
    };
    for (const [name, schema] of Object.entries(properties)) {
      for (const [kind, value] of strangeValues(name, schema)) {
        yield { kind, endpoint, query: `${name}=${value}`, ...bodyOf(endpoint) };
      }
      if (required.includes(name)) yield { kind: 'query: missing', endpoint };
    }
  }
}

const rubbish = [
  '',
  ' ',
  'x',
  '\x7f'.slice(1),
  '"',
  'W/"1"',
  `"${'9'.repeat(400)}-x"`,
  ',,,',
  'x'.repeat(50_000),
  '"a", "b"',
];

export function* hostileHeaders(): Generator<Hostile> {
  for (const endpoint of everyEndpoint) {
    const { access, versioned, method } = endpoint;
    if (needsNobody(access)) continue;
    const wrong = access === 'signed-in' ? 'cookie' : 'authorization';
    for (const text of [
      '',
      'x',
      'Bearer',
      'Bearer x',
      'Basic eDp5',
      `Bearer ${'x'.repeat(50_000)}`,
      'burgee_session=',
      'burgee_session=%00;a',
      '=;=;=',
      '\u00ff',
    ])
      yield { kind: `headers: ${wrong}`, endpoint, headers: { [wrong]: text } };
    if (versioned && method !== 'GET')
      for (const text of rubbish)
        yield { kind: 'headers: if-match', endpoint, headers: { 'if-match': text }, ...bodyOf(endpoint) };
  }
}

export function* hostileMethods(): Generator<Hostile> {
  const known = Map.groupBy(everyEndpoint, ({ path }) => pathWith(path, () => ':'));
  for (const endpoints of known.values()) {
    const own = new Set<string>(endpoints.map(({ method }) => method));
    const [endpoint] = endpoints;
    for (const method of [
      'GET',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
      'MKCOL',
      'LOCK',
      'SEARCH',
      'PURGE',
      'REPORT',
    ])
      if (endpoint && !own.has(method)) yield { kind: 'methods', endpoint, method };
  }
}
