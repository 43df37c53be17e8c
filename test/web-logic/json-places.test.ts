import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { placeInJson } from '../../web/src/features/definitions/json/json-places.ts';
import { targeting } from '../domain/changed-definitions.ts';

const text = JSON.stringify(
  { treatments: [{ name: 'on' }, { name: 'a "], {' }], rules: [{ buckets: [1, 2] }], killed: false },
  null,
  2,
);
const shown = (complaint: string) => text.slice(placeInJson(text, complaint).offset).split('\n')[0];

test('a complaint is shown where the value is that it is about', () => {
  assert.equal(shown('treatments/1/name must be'), '"a \\"], {"');
  assert.equal(shown('rules/0/buckets sizes must add up to 100, not 3'), '[');
  assert.equal(shown('rules/0/buckets/1 x is used twice'), '2');
  assert.equal(shown('killed must be boolean'), 'false');
});

test('a missing member is shown at the object that should have it', () => {
  assert.equal(shown('rules/0/condition is required'), '{');
  assert.equal(placeInJson(text, 'defaultRule is required').offset, 0);
  assert.equal(placeInJson(text, 'Something else').line, 1);
});

test('the place at which JSON cannot be read is taken from the message', () => {
  assert.deepEqual(placeInJson('{\n\n}', 'Unexpected token } in JSON at position 3'), { offset: 3, line: 3 });
  const inFirefox = 'Invalid JSON: JSON.parse: unexpected character at line 3 column 1 of the JSON data';
  assert.deepEqual(placeInJson('{\n\n}', inFirefox), { offset: 3, line: 3 });
  assert.deepEqual(placeInJson('{\n\n', 'Invalid JSON: Unexpected end of JSON input'), { offset: 3, line: 3 });
});

test('every value of a definition is found, however it is written', () => {
  fc.assert(
    fc.property(targeting, fc.nat(4), (definition, indent) => {
      const written = JSON.stringify(definition, null, indent);
      for (const [path, value] of valuesIn(definition, [])) {
        const found = written.slice(placeInJson(written, `${path.join('/')} is wrong`).offset);
        assert.ok(found.startsWith(JSON.stringify(value, null, indent).split('\n')[0] ?? ''), path.join('/'));
      }
    }),
    { numRuns: 30 },
  );
});

function* valuesIn(value: unknown, path: string[]): Generator<[string[], unknown]> {
  if (typeof value !== 'object' || value === null) return yield [path, value];
  for (const [name, member] of Object.entries(value)) yield* valuesIn(member, [...path, name]);
}
