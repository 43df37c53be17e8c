/** A schema is compiled in the server and interpreted in the browser. The two must agree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Clean } from 'typebox/value';
import { DefinitionBody } from '#domain/definitions/definition.ts';
import { shapeOf } from '#domain/shapes.ts';
import { Compile as Interpret } from '../../web/interpret.ts';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { bodyWith } from './valid-definitions.ts';

const schemas: TSchema[] = [
  DefinitionBody,
  ...everyEndpoint.flatMap(({ query, body }) => [query, body]).filter((schema) => schema !== undefined),
];

interface Keywords {
  readonly type?: string;
  readonly properties?: Record<string, TSchema>;
  readonly items?: TSchema;
  readonly enum?: readonly unknown[];
  readonly format?: string;
}

const anything = fc.jsonValue({ maxDepth: 1 });

/** Values that the schema may be meant for, and now and then anything at all; objects have a member too many. */
function valuesFor(schema: TSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 19, arbitrary: meantFor(schema as Keywords) }, anything);
}

function meantFor({ type, properties, items, enum: choices, format }: Keywords): fc.Arbitrary<unknown> {
  if (choices) return fc.constantFrom(...choices);
  if (format === 'email') return fc.emailAddress();
  if (items) return fc.array(valuesFor(items), { maxLength: 3 });
  if (type === 'integer') return fc.nat(120);
  if (type === 'boolean') return fc.boolean();
  if (!properties) return fc.string({ minLength: 1 });
  const members = Object.entries(properties).map(([name, member]) => [name, valuesFor(member)]);
  return fc.record({ ...Object.fromEntries(members), unknown: anything }, { noNullPrototype: true });
}

const value = fc.constantFrom(...schemas).chain((schema) => fc.tuple(fc.constant(schema), valuesFor(schema)));
const definition = bodyWith(0).map((body): [TSchema, unknown] => [DefinitionBody, body]);
const cases = fc.oneof(value, definition);

test('an interpreted schema finds the same faults as a compiled one', () => {
  let faulty = 0;
  fc.assert(
    fc.property(cases, ([schema, given]) => {
      const [compiled, interpreted] = [Compile(schema), Interpret(schema)];
      assert.equal(interpreted.Check(given), compiled.Check(given));
      assert.deepEqual(interpreted.Errors(given), compiled.Errors(given));
      if (!compiled.Check(given)) faulty += 1;
    }),
    { numRuns: 2000 },
  );
  assert.ok(faulty > 200 && faulty < 1800, String(faulty));
});

/** TypeBox cleans only what it has made itself, which a schema of two types is not: for it that is an object. */
function inItsWords(schema: TSchema): TSchema {
  const { properties, items } = schema as Keywords;
  if (items) return Type.Array(inItsWords(items));
  if (!properties) return schema;
  return Type.Object(
    Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, inItsWords(member)])),
  );
}

test("a cleaned value has exactly the members of the schema, in their order, as TypeBox's own cleaning", () => {
  let cleaned = 0;
  fc.assert(
    fc.property(cases, ([schema, given]) => {
      const shape = shapeOf(schema);
      if (shape.complaints(given).length > 0) return;
      const before = structuredClone(given);
      const text = JSON.stringify(shape.clean(given));
      assert.deepEqual(given, before, 'the value is left as it is');
      assert.equal(text, JSON.stringify(Clean(inItsWords(schema), structuredClone(given))));
      if (text !== JSON.stringify(given)) cleaned += 1;
    }),
    { numRuns: 2000 },
  );
  assert.ok(cleaned > 200, String(cleaned));
});

test('errors beyond the first thousand items of a list are found too', () => {
  const shape = shapeOf(Type.Object({ crew: Type.Array(Type.String(), { maxItems: 3_001 }) }));
  const crew = (count: number, last: unknown) => ({ crew: [...Array.from({ length: count }, () => 'ann'), last] });
  assert.deepEqual(shape.complaints(crew(3_000, 'bob')), []);
  assert.deepEqual(shape.complaints(crew(3_000, 7)), ['crew/3000 must be string']);
  assert.deepEqual(shape.complaints(crew(3_001, 'bob')), ['crew must not have more than 3001 items']);
  const fleet = shapeOf(Type.Object({ ships: Type.Array(Type.Object({ crew: Type.Array(Type.String()) })) }));
  const ships = [...Array.from({ length: 2_000 }, () => crew(1, 'bob')), crew(3_000, 7), crew(1, 8), { crew: 9 }];
  assert.deepEqual(fleet.complaints({ ships }), [
    'ships/2000/crew/3000 must be string',
    'ships/2001/crew/1 must be string',
    'ships/2002/crew must be array',
  ]);
});
