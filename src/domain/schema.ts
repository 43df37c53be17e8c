/** Schema parts that several resources share. */
import { type Static, type TObject, type TSchema, Type } from 'typebox';

/** A string from a list. A union of literals would complain once per member. */
export const OneOf = <const Values extends readonly string[]>(values: Values, facts: { description?: string } = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...facts });

/** Merges two object schemas, since composed schemas hide their members from the serialiser and from readers. */
export const extend = <A extends TObject, B extends TObject>(a: A, b: B) =>
  Type.Object({ ...a.properties, ...b.properties } as A['properties'] & B['properties']);

/** Some clients send booleans as text; `toBoolean` accepts both. */
export const BooleanOrText = Type.Unsafe<boolean | 'true' | 'false'>({ enum: [true, false, 'true', 'false'] });
export const toBoolean = (value: boolean | 'true' | 'false'): boolean => value === true || value === 'true';

/** The same for an unchecked value: anything except the two texts is returned as it is. */
export const booleanFromText = (value: unknown): unknown =>
  value === 'true' ? true : value === 'false' ? false : value;

export const Nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, type: [(schema as { type?: string }).type, 'null'] });

/** A list that is null in replies when it is empty. */
export const NullableArray = <Item extends TSchema>(items: Item) => Nullable(Type.Array(items));

export const Id = Type.String({ minLength: 1, maxLength: 255 });
export const Millis = Type.Integer({ description: 'milliseconds since the Unix epoch' });
/** The vendor's name; absent if there never was any. */
export const LastTraffic = Type.Integer({
  description:
    'when SDKs last reported an evaluation, in milliseconds since the Unix epoch, to the minute; absent if they never did',
});
export const Reference = Type.Object({ id: Type.String(), name: Type.String() });
export type Reference = Static<typeof Reference>;
/**
 * For use inside a character class: C0, DEL and C1, line and paragraph separators, and bidirectional controls. In a
 * name they could fake table rows, mail paragraphs or another name.
 */
export const controlCharacters = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';

/** Patterns that users meet; `shapes.ts` has the complaint for each. */
export const patterns = {
  name: `^(?=.*\\S)[^${controlCharacters}]*$`,
  tag: `^[^${controlCharacters}]*$`,
  noQuotes: '^[^"]*$',
  flagName: '^[A-Za-z][-_.A-Za-z0-9]*$',
  trafficTypeName: '^[A-Za-z][-_A-Za-z0-9]*$',
  segmentName: '^[A-Za-z][A-Za-z0-9_-]*$',
  flagSetName: '^[a-z0-9][_a-z0-9]*$',
  sixDigits: '^[0-9]{6}$',
};

export const Title = Type.String({ pattern: patterns.name, maxLength: 255 });
export const Description = Type.String({ maxLength: 2000 });
export const SafeInteger = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
