import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Targeting } from '#domain/definitions/definition.ts';
import { inOneOrder } from '../../web/src/features/definitions/json/member-order.ts';
import { targeting } from '../domain/changed-definitions.ts';

/** The members in the order in which the API declares and sends them. */
function declared(schema: TSchema, value: unknown): unknown {
  const { items, properties } = schema as { items?: TSchema; properties?: Record<string, TSchema> };
  if (Array.isArray(value)) return value.map((item) => (items ? declared(items, item) : item));
  if (typeof value !== 'object' || value === null || !properties) return value;
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => name in value)
      .map(([name, member]) => [name, declared(member, (value as Record<string, unknown>)[name])]),
  );
}

const backwards = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(backwards);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, backwards(member)]),
  );
};

test('a draft is written in the order of the API, in whichever order its members came', () => {
  fc.assert(
    fc.property(targeting, (definition) => {
      const text = JSON.stringify(declared(Targeting, definition));
      for (const one of [definition, backwards(definition) as typeof definition]) {
        assert.equal(JSON.stringify(inOneOrder(one)), text);
      }
    }),
    { numRuns: 200 },
  );
});
