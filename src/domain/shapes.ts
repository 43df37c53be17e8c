/** Checks values against schemas. Separate from the schemas, so that a page can load those without the checker. */
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { isObject, mapItems, mapMembers } from './json.ts';
import { patterns } from './schema.ts';

export interface Shape<T> {
  /** What is wrong with the value's shape, and where; at most eight complaints, so that hostile input stays cheap. */
  complaints(value: unknown): string[];
  /** Removes members that the schema does not know. Call it only if `complaints` returned none. */
  clean(value: unknown): T;
}

/** `root` names the whole value in complaints. */
export function shapeOf<Schema extends TSchema>(schema: Schema, root = 'body'): Shape<Static<Schema>> {
  return {
    complaints: (value) => {
      const validator = validatorOf(schema);
      if (validator.Check(value)) return [];
      // Listing errors takes far longer than checking, so long lists are shortened first.
      const searches = [
        () => validator.Errors(withShortLists(value)),
        () => lateErrors(schema, value, ''),
        () => validator.Errors(value),
      ];
      for (const search of searches) {
        const errors = search();
        if (errors.length > 0) return errors.slice(0, maxErrors).flatMap((error) => complaintsOf(error, schema, root));
      }
      return [`${root} is invalid`];
    },
    clean: (value) => trimmed(schema, value) as Static<Schema>,
  };
}

/** Longer than any length limit in a schema, so that a list that is too long stays too long. */
const enoughItems = 1_001;

/** A copy with shortened lists: errors in a list are usually near its beginning. */
function withShortLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, enoughItems).map(withShortLists);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withShortLists(member)]));
}

const maxErrors = 8;
const validators = new WeakMap<TSchema, Validator>();

/** Compiles on first use, so that it does not delay the start. Our pages forbid `eval`: their build interprets instead. */
function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema);
  if (known) return known;
  const validator = Compile(schema);
  validators.set(schema, validator);
  return validator;
}

/** Errors beyond the shortened part: only items that fail as a whole are examined. */
function lateErrors(schema: TSchema, value: unknown, place: string): ShapeError[] {
  const { properties = {}, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
  if (Array.isArray(value) && items) return errorsOfItems(items, value, place);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return known ? lateErrors(known, member, `${place}/${name}`) : [];
  });
}

function errorsOfItems(schema: TSchema, items: readonly unknown[], place: string): ShapeError[] {
  const validator = validatorOf(schema);
  const found: ShapeError[] = [];
  for (const [index, item] of items.entries()) {
    if (validator.Check(item)) continue;
    const own = `${place}/${index}`;
    const early = validator.Errors(withShortLists(item));
    found.push(...early.map((error) => ({ ...error, instancePath: own + error.instancePath })));
    if (early.length === 0) found.push(...lateErrors(schema, item, own));
    if (found.length >= maxErrors) return found;
  }
  return found;
}

/** Own code: TypeBox's version mutates the value, takes ten times as long and adds 12 kB to the interface. */
function trimmed(schema: TSchema, value: unknown): unknown {
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
  if (Array.isArray(value)) return items ? mapItems(value, (item) => trimmed(items, item)) : value;
  if (!properties || !isObject(value)) return value;
  return mapMembers(value, (member, name) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return known && trimmed(known, member);
  });
}

interface ShapeError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

function complaintsOf({ keyword, instancePath, params, message }: ShapeError, schema: TSchema, root: string): string[] {
  const place = instancePath.slice(1);
  const facts = params as { requiredProperties: string[]; allowedValues: unknown[]; format: string; pattern: unknown };
  if (keyword === 'required') {
    return facts.requiredProperties.map((name) => `${place === '' ? '' : `${place}/`}${name} is required`);
  }
  // An unknown member of a closed object is reported twice: for the member and for the object.
  if (keyword === 'boolean') return [`${place} is not a known member`];
  if (keyword === 'additionalProperties') return [];
  const hint = keyword === 'type' ? hintAt(schema, instancePath) : '';
  return [`${place || root} ${sentenceEnd(keyword, facts) ?? message}${hint}`];
}

/** What the schema adds to a complaint about a type. */
function hintAt(schema: TSchema, instancePath: string): string {
  const found = instancePath
    .split('/')
    .slice(1)
    .reduce<HintedSchema | undefined>((at, step) => at?.properties?.[step] ?? at?.items, schema as HintedSchema);
  return found?.['x-hint'] === undefined ? '' : `: ${found['x-hint']}`;
}

interface HintedSchema {
  readonly properties?: Readonly<Record<string, HintedSchema>>;
  readonly items?: HintedSchema;
  readonly 'x-hint'?: string;
}

function sentenceEnd(keyword: string, facts: { allowedValues: unknown[]; format: string; pattern: unknown }) {
  if (keyword === 'enum') return mustBe([...new Set(facts.allowedValues.map(String))]);
  if (keyword === 'format') return `must be a valid ${facts.format}`;
  if (keyword === 'pattern') return patternSentences[String(facts.pattern)] ?? `must match ${facts.pattern}`;
  return undefined;
}

const mustBe = (values: readonly string[]): string =>
  values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;

const patternSentences: Record<string, string> = {
  [patterns.name]: 'must not be blank or contain control characters',
  [patterns.tag]: 'must not contain control characters',
  [patterns.noQuotes]: 'must not contain quotes',
  [patterns.flagName]: 'must be a letter, then letters, digits, -, _ or .',
  [patterns.trafficTypeName]: 'must be a letter, then letters, digits, - or _',
  [patterns.segmentName]: 'must be a letter, then letters, digits, - or _',
  [patterns.flagSetName]: 'must be lower-case letters, digits and _, and must not begin with _',
  [patterns.sixDigits]: 'must be six digits',
};
