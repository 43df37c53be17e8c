/** Keys with the values of their attributes, per traffic type and environment. Evaluation does not use them. */
import { type Static, Type } from 'typebox';
import { isObject } from './json.ts';
import { refuse } from './problems.ts';

export interface Identity {
  readonly key: string;
  readonly trafficTypeId: string;
  readonly environmentId: string;
  /** Attribute → value, as text. */
  readonly values: Readonly<Record<string, string>>;
}

/** In one call. Each of them gets its own audit entry. */
const maxIdentities = 100;
const maxKeyLength = 250;
const maxAttributes = 100;
const maxNameLength = 200;
const maxValueLength = 2_000;
/** Of all names and values of an identity. */
const maxCharacters = 20_000;

// Not `Type.Record`, which would add 10 kB to the interface.
const Values = Type.Unsafe<Record<string, string | number | boolean | null | (string | number | boolean)[]>>({
  type: 'object',
  description:
    `Attribute to value: text, a number, a boolean, or a list of these. At most ${maxAttributes} attributes; ` +
    `a value has at most ${maxValueLength} characters.`,
});

/** The key in the path wins. */
export const IdentityBody = Type.Object({
  key: Type.Optional(Type.String({ minLength: 1, maxLength: maxKeyLength })),
  values: Type.Optional(Values),
});
export const IdentityList = Type.Array(IdentityBody, { minItems: 1, maxItems: maxIdentities });

export const IdentityReply = Type.Object({
  key: Type.String(),
  organizationId: Type.String(),
  trafficTypeId: Type.String(),
  environmentId: Type.String(),
  values: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
});
export type IdentityReply = Static<typeof IdentityReply>;

export const SavedIdentities = Type.Object({
  objects: Type.Array(IdentityReply),
  failed: Type.Array(Type.Object({ object: Type.Unknown(), status: Type.Integer(), message: Type.String() }), {
    description: 'those that were not saved, and why',
  }),
  // The vendor's answer has these, always null.
  metadata: Type.Null(),
  offset: Type.Null(),
  limit: Type.Null(),
  count: Type.Null(),
  total: Type.Null(),
});

export const toIdentityReply = (identity: Identity, organizationId: string): IdentityReply => ({
  key: identity.key,
  organizationId,
  trafficTypeId: identity.trafficTypeId,
  environmentId: identity.environmentId,
  values: { ...identity.values },
});

/** What a body says about one key. Undefined: the value is removed by a patch, and left out otherwise. */
export interface IdentityUpdate {
  readonly key: string;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** Refuses a body of the wrong shape. `key`: that of the path, if it names one. */
export function parseIdentity(body: unknown, key?: string): IdentityUpdate {
  const { update, complaints } = readIdentity(body, key);
  refuse('identity_invalid', complaints);
  return update;
}

export interface FailedIdentity {
  readonly object: unknown;
  readonly status: number;
  readonly message: string;
}

/** Each on its own: those that are wrong do not keep the others from being saved. */
export function parseIdentities(body: unknown): { valid: IdentityUpdate[]; failed: FailedIdentity[] } {
  const list = Array.isArray(body) ? body : undefined;
  refuse('identity_invalid', list ? [] : ['body must be array']);
  const tooMany = `body must not have more than ${maxIdentities} items: send several requests`;
  refuse('identity_invalid', list && list.length > maxIdentities ? [tooMany] : []);
  const valid = new Map<string, IdentityUpdate>();
  const failed: FailedIdentity[] = [];
  for (const object of list ?? []) {
    const { update, complaints } = readIdentity(object, undefined);
    const [message] = valid.has(update.key) ? [`key ${update.key} occurs twice`] : complaints;
    if (message === undefined) valid.set(update.key, update);
    else failed.push({ object, status: 400, message });
  }
  return { valid: [...valid.values()], failed };
}

function readIdentity(body: unknown, keyOfPath: string | undefined): { update: IdentityUpdate; complaints: string[] } {
  const members = isObject(body) ? body : {};
  const key = keyOfPath ?? members.key;
  const values = members.values ?? {};
  const texts = isObject(values) ? mapValues(values) : {};
  return {
    update: { key: typeof key === 'string' ? key : '', values: texts },
    complaints: [
      ...(isObject(body) ? [] : ['body must be object']),
      ...complaintsAboutKey(key),
      ...(isObject(values) ? complaintsAboutValues(values, texts) : ['values must be object']),
    ],
  };
}

function complaintsAboutKey(key: unknown): string[] {
  if (key === undefined || key === null) return ['key is required'];
  if (typeof key !== 'string' || key === '') return ['key must be text'];
  return key.length > maxKeyLength ? [`key must not have more than ${maxKeyLength} characters`] : [];
}

function complaintsAboutValues(values: Record<string, unknown>, texts: IdentityUpdate['values']): string[] {
  const long = Object.entries(texts).flatMap(([name, text = '']) => [
    ...(name === '' || name.length > maxNameLength
      ? [`values: a name must have 1 to ${maxNameLength} characters`]
      : []),
    ...(text.length > maxValueLength ? [`values/${name} must not have more than ${maxValueLength} characters`] : []),
  ]);
  const odd = Object.entries(values)
    .filter(([, value]) => value !== null && textOf(value) === undefined)
    .map(([name]) => `values/${name} must be text, a number, a boolean or a list of these`);
  return [...odd, ...long, ...complaintsAboutSize(texts)];
}

/** A patch adds to what is stored, so the result is checked again. */
export const checkIdentity = ({ values }: Identity): void => refuse('identity_invalid', complaintsAboutSize(values));

function complaintsAboutSize(values: IdentityUpdate['values']): string[] {
  const entries = Object.entries(values);
  const characters = entries.reduce((sum, [name, text = '']) => sum + name.length + text.length, 0);
  return [
    ...(entries.length > maxAttributes ? [`values must not have more than ${maxAttributes} attributes`] : []),
    ...(characters > maxCharacters ? [`values must not have more than ${maxCharacters} characters in all`] : []),
  ];
}

const mapValues = (values: Record<string, unknown>): IdentityUpdate['values'] =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));

/** Values are returned as text, whatever type was sent. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.every(isScalar) ? value.map(String).join(',') : undefined;
  return isScalar(value) ? String(value) : undefined;
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** The values after an update: those that it names, and with `stored` the others too. Sorted by name. */
export function applyIdentityUpdate(
  { values }: IdentityUpdate,
  stored: Identity['values'] = {},
): Record<string, string> {
  const entries = Object.entries({ ...stored, ...values }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text] as const],
  );
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
