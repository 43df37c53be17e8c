/** Random hostile requests derived from the contract: bodies, path parameters and queries. */
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { everyEndpoint, type NamedEndpoint } from './every-endpoint.ts';
import { exampleOf } from './hostile-bodies.ts';
import { paramsThatFind } from './hostile-paths.ts';
import type { Hostile } from './hostile-requests.ts';

/** So many of them, a third of each sort. */
export const chanceRequests = (count: number, seed: number): Hostile[] =>
  fc.sample(fc.oneof(bodies, params, queries), { numRuns: count, seed });

const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });

const schemaOf = ({ body, looseBody }: NamedEndpoint): TSchema | undefined => body ?? looseBody;

/** The members that the endpoint knows, each with what belongs there or with anything. */
function bodiesFor(schema: TSchema): fc.Arbitrary<unknown> {
  const example = exampleOf(schema);
  if (typeof example !== 'object' || example === null) return json;
  if (Array.isArray(example)) return fc.array(fc.oneof(json, fc.constant(example[0])), { minLength: 1, maxLength: 5 });
  const members = Object.entries(example).map(([name, value]) => [name, fc.oneof(json, fc.constant(value))]);
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] });
}

/** Null is absent where a member may be absent, so what is wrong must be wrong with it and without it. */
const isRefused = (schema: TSchema, value: unknown): boolean => {
  if (Value.Check(schema, value)) return false;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  return !Value.Check(schema, Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)));
};

const bodies: fc.Arbitrary<Hostile> = fc.constantFrom(...everyEndpoint.filter(schemaOf)).chain((endpoint) => {
  const schema = schemaOf(endpoint) as TSchema;
  const wrong = fc.oneof(json, bodiesFor(schema)).filter((value) => isRefused(schema, value));
  return wrong.map((value) => ({ kind: 'chance: body', endpoint, body: JSON.stringify(value) }));
});

const params: fc.Arbitrary<Hostile> = fc
  .constantFrom(...everyEndpoint.filter((endpoint) => paramsThatFind(endpoint).length > 0))
  .chain((endpoint) =>
    fc.tuple(fc.constantFrom(...paramsThatFind(endpoint)), text).map(([word, strange]) => ({
      kind: 'chance: path',
      endpoint,
      params: { [word]: encodeURIComponent(strange) },
      ...(schemaOf(endpoint) ? { body: '[]' } : {}),
    })),
  );

const isStrict = (schema: TSchema) => 'enum' in schema || (schema as { type?: string }).type === 'integer';
const strictOf = ({ query }: NamedEndpoint): string[] =>
  Object.entries<TSchema>(query?.properties ?? {}).flatMap(([name, schema]) => (isStrict(schema) ? [name] : []));

const queries: fc.Arbitrary<Hostile> = fc
  .constantFrom(...everyEndpoint.filter((endpoint) => strictOf(endpoint).length > 0))
  .chain((endpoint) =>
    fc
      .tuple(
        fc.constantFrom(...strictOf(endpoint)),
        text.filter((value) => !/^(-?\d+|\w+)$/.test(value)),
      )
      .map(([name, value]) => ({ kind: 'chance: query', endpoint, query: `${name}=${encodeURIComponent(value)}` })),
  );
