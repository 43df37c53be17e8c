/** The few pieces that the schemas of several resources share, and how a value is held against a schema. */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Clean } from 'typebox/value';

/** A string out of a list. A union of literals would complain once per member. */
export const OneOf = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] });

/** Some clients send booleans as text; `toBoolean` reads both. */
export const BooleanOrText = Type.Unsafe<boolean | 'true' | 'false'>({ enum: [true, false, 'true', 'false'] });
export const toBoolean = (value: boolean | 'true' | 'false'): boolean => value === true || value === 'true';

/** The same for a value that is not checked yet: anything but the two texts stays as it is. */
export const booleanFromText = (value: unknown): unknown =>
  value === 'true' ? true : value === 'false' ? false : value;

/** A list that the wire shows as null when it is empty. */
export const NullableArray = <Item extends TSchema>(items: Item) =>
  Type.Unsafe<Static<Item>[] | null>({ type: ['array', 'null'], items });

export const Id = Type.String({ minLength: 1, maxLength: 255 });
export const Millis = Type.Integer({ description: 'milliseconds since the Unix epoch' });
export const Reference = Type.Object({ id: Type.String(), name: Type.String() });
export type Reference = Static<typeof Reference>;
/** Patterns that people meet, and how a complaint about them reads. */
export const patterns = {
  notBlank: '\\S',
  flagName: '^[A-Za-z][-_.A-Za-z0-9]*$',
  trafficTypeName: '^[A-Za-z][-_A-Za-z0-9]*$',
  sixDigits: '^[0-9]{6}$',
};
const patternSentences: Record<string, string> = {
  [patterns.notBlank]: 'must not be blank',
  [patterns.flagName]: 'must be a letter, then letters, digits, -, _ or .',
  [patterns.trafficTypeName]: 'must be a letter, then letters, digits, - or _',
  [patterns.sixDigits]: 'must be six digits',
};

export const Title = Type.String({ pattern: patterns.notBlank, maxLength: 255 });
export const Description = Type.String({ maxLength: 2000 });
export const SafeInteger = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

export interface Shape<T> {
  /** All that is wrong with the value's shape, each naming its place; at most eight, so that hostile input stays cheap. */
  complaints(value: unknown): string[];
  /** The value without the members that the schema does not know. Call it only after `complaints` had none. */
  clean(value: unknown): T;
}

/** Compiles a schema once. `root` names the place of complaints about the value as a whole. */
export function shapeOf<Schema extends TSchema>(schema: Schema, root = 'body'): Shape<Static<Schema>> {
  const validator = Compile(schema);
  return {
    complaints: (value) =>
      validator.Check(value) ? [] : validator.Errors(value).flatMap((error) => complaintsOf(error, root)),
    clean: (value) => Clean(schema, value) as Static<Schema>,
  };
}

interface ShapeError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

function complaintsOf({ keyword, instancePath, params, message }: ShapeError, root: string): string[] {
  const place = instancePath.slice(1);
  const facts = params as { requiredProperties: string[]; allowedValues: unknown[]; format: string; pattern: unknown };
  if (keyword === 'required') {
    return facts.requiredProperties.map((name) => `${place === '' ? '' : `${place}/`}${name} is required`);
  }
  return [`${place || root} ${sentenceEnd(keyword, facts) ?? message}`];
}

function sentenceEnd(keyword: string, facts: { allowedValues: unknown[]; format: string; pattern: unknown }) {
  if (keyword === 'enum') return mustBe([...new Set(facts.allowedValues.map(String))]);
  if (keyword === 'format') return `must be a valid ${facts.format}`;
  if (keyword === 'pattern') return patternSentences[String(facts.pattern)] ?? `must match ${facts.pattern}`;
  return undefined;
}

const mustBe = (values: readonly string[]): string =>
  values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
