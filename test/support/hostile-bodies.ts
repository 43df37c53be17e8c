/** Bodies that an endpoint must refuse, derived from its schema: wrong at every place in every way. */
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { aDefinition } from './build.ts';
import { everyEndpoint, type NamedEndpoint } from './every-endpoint.ts';
import type { Hostile } from './hostile-requests.ts';

interface Keywords {
  readonly type?: string | readonly string[];
  readonly properties?: Record<string, TSchema>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** A placeholder for a piece of JSON that no value produces. */
const gap = '@@gap@@';
const filled = (body: unknown, piece: string): string => JSON.stringify(body).replace(`"${gap}"`, () => piece);

/** A value of the schema, with all that it may have. */
export function exampleOf(schema: TSchema): unknown {
  const { type, properties, items, enum: choices, format, pattern, minimum } = schema as Keywords;
  if (choices) return choices[0];
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, exampleOf(member)]));
  if (items) return [exampleOf(items)];
  if (type === 'integer' || type === 'number') return Math.max(minimum ?? 1, 1);
  if (type === 'boolean') return true;
  if (type === 'object') return {};
  if (format === 'email') return 'bob@example.com';
  return pattern?.includes('{6}') ? '123456' : 'text';
}

/** A definition with a rule, since its schema does not say what belongs together. */
const definition = aDefinition({
  killed: false,
  baselineTreatment: 'off',
  trafficAllocation: 100,
  treatments: [
    { name: 'on', description: 'x', configurations: '{}', keys: ['ann'], segments: ['crew'] },
    { name: 'off' },
  ],
  rules: [
    {
      buckets: [{ treatment: 'on', size: 100 }],
      condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', attribute: 'port', strings: ['a'] }] },
    },
  ],
  title: 'why',
  comment: 'because',
});

interface Place {
  readonly schema: Keywords;
  /** The whole body with this in the place. */
  readonly with: (value: unknown) => unknown;
  /** The whole body without the place, where it must be there. */
  readonly without: (() => unknown) | undefined;
  readonly value: unknown;
}

/** The value itself and everything in it that the schema knows. */
function* placesOf(schema: TSchema, value: unknown, put: Place['with'] = (it) => it): Generator<Place> {
  const { properties = {}, required = [], items } = schema as Keywords;
  yield { schema: schema as Keywords, with: put, without: undefined, value };
  if (Array.isArray(value) && items) {
    for (const place of placesOf(items, value[0], (it) => put([it, ...value.slice(1)]))) yield place;
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const known = properties[name];
      if (!known) continue;
      const { [name]: _, ...others } = value as Record<string, unknown>;
      const [place, ...inside] = placesOf(known, member, (it) => put({ ...others, [name]: it }));
      if (place) yield { ...place, without: required.includes(name) ? () => put(others) : undefined };
      yield* inside;
    }
  }
}

/** Of every type, and what is hard on each. Where the schema takes a value it is not wrong there and left out. */
const strangers = [
  ...['true', 'false', '0', '-1', '1.5', '1e400', '-1e400', '9007199254740993', '1e-400'],
  ...['""', '" "', '"x"', '"\\ud83d\\udea9"', '"NaN"', '[]', '[[]]', '[null]', '{}', '{"a":1}', '{"length":1}'],
];

/** Refused before any schema is looked at. */
const brokenPieces: Record<string, string> = {
  'lone surrogate': '"a\\ud800z"',
  'lone low surrogate': '"\\udc00"',
  NUL: '"a\\u0000z"',
  'NUL as it is': '"a\0z"',
  'member __proto__': '{"__proto__":{"admin":true}}',
  'member __proto__, escaped': '{"\\u005f_proto__":null}',
  'constructor.prototype': '{"constructor":{"prototype":{"admin":true}}}',
  'duplicate keys': '{"a":1,"a":2}',
  'duplicate keys, escaped': '{"a":1,"\\u0061":2}',
  'depth 10,000 of lists': `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  'depth 10,000 of objects': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  'not JSON': '{a:1}',
  'not JSON either': '01',
  'not JSON at all': 'undefined',
  'cut off': '{"a":[1,',
  'comma too many': '[1,]',
};
const withInvalidUtf8 = (text: string): Buffer[] =>
  [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]].map((bytes) => {
    const [before = '', behind = ''] = text.split(gap);
    return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(behind)]);
  });

/** Every body for every endpoint that reads one. */
export function* hostileBodies(): Generator<Hostile> {
  for (const endpoint of everyEndpoint) {
    const { body, looseBody, textBody, bodyIsOptional } = endpoint;
    if (textBody) yield* hostileTexts(endpoint);
    const schema = body ?? looseBody;
    if (!schema) continue;
    if (!bodyIsOptional) yield { kind: 'empty body', endpoint, body: '' };
    for (const place of placesOf(schema, looseBody ? definition : exampleOf(schema))) {
      yield* hostileAt(endpoint, place, looseBody !== undefined);
    }
  }
}

function* hostileAt(endpoint: NamedEndpoint, place: Place, isLoose: boolean): Generator<Hostile> {
  const hole = place.with(gap);
  for (const [kind, piece] of Object.entries(brokenPieces)) yield { kind, endpoint, body: filled(hole, piece) };
  for (const body of withInvalidUtf8(JSON.stringify(hole))) yield { kind: 'invalid UTF-8', endpoint, body };
  for (const piece of strangers.filter((one) => isWrong(place, one, isLoose))) {
    yield { kind: 'wrong type', endpoint, body: filled(hole, piece) };
  }
  // A definition that lacks a member may have a default for it.
  if (place.without && !isLoose) yield { kind: 'missing member', endpoint, body: JSON.stringify(place.without()) };
  const { maxLength, maxItems } = place.schema;
  if (maxLength !== undefined) {
    for (const letter of ['x', '\u{1f6a9}', ' ']) {
      yield { kind: 'over a limit', endpoint, body: JSON.stringify(place.with(letter.repeat(maxLength + 1))) };
    }
  }
  if (maxItems !== undefined && Array.isArray(place.value)) {
    const items = Array.from({ length: maxItems + 1 }, () => (place.value as unknown[])[0]);
    yield { kind: 'over a limit', endpoint, body: JSON.stringify(place.with(items)) };
  }
}

/** Definitions are read more kindly than their schema says: empty texts and lists are none, and text may be a boolean. */
function isWrong({ schema }: Place, piece: string, isLoose: boolean): boolean {
  const value: unknown = JSON.parse(piece);
  if (Value.Check(schema as TSchema, value)) return false;
  return !(isLoose && (piece === '""' || piece === '[]'));
}

function* hostileTexts(endpoint: NamedEndpoint): Generator<Hostile> {
  for (const kind of ['lone surrogate', 'lone low surrogate', 'NUL', 'NUL as it is'])
    yield { kind, endpoint, body: brokenPieces[kind] ?? '' };
  for (const body of withInvalidUtf8(`a${gap}z`)) yield { kind: 'invalid UTF-8', endpoint, body };
  yield { kind: 'over a limit', endpoint, body: 'x'.repeat(2_001) };
  yield { kind: 'over a limit', endpoint, body: JSON.stringify('\u{1f6a9}'.repeat(2_001)) };
}
