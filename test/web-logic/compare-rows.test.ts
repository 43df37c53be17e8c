import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Difference, differencesBetween } from '#domain/definitions/differences.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { compareRows } from '../../web/src/features/definitions/compare/compare-rows.ts';
import { targeting } from '../domain/changed-definitions.ts';
import { aDefinition } from '../support/build.ts';

const sides = { left: 'Staging', right: 'Production' };
const [aRule] = parseTargeting(
  aDefinition({
    rules: [
      {
        buckets: [{ treatment: 'on', size: 100 }],
        condition: { matchers: [{ type: 'BOOLEAN', attribute: 'beta', bool: true }] },
      },
    ],
  }),
).rules;
/** A rule that differs, by its place on the left and on the right side. */
const ruleAt = (left: number | undefined, right: number | undefined): Difference => {
  const placed = (at: number | undefined) => (at === undefined || !aRule ? undefined : { at, rule: aRule });
  return { kind: 'rule', before: placed(right), after: placed(left), isMoved: false };
};

test('rules stand in the order of the left side, those of the right side where they are there', () => {
  const differences = [ruleAt(undefined, 1), ruleAt(undefined, 2), ruleAt(0, undefined), ruleAt(1, 0), ruleAt(2, 2)];
  assert.deepEqual(
    compareRows(differences, sides).map(({ name, isRemoval }) => [name, isRemoval]),
    [
      ['Rule 1, only in Staging', false],
      ['Rule 2, in Production 1', false],
      ['Rule 2, only in Production', true],
      ['Rule 3', false],
      ['Rule 3, only in Production', true],
    ],
  );
});

test('a row that takes something away from the right side says so', () => {
  const keys = (list: string[]) =>
    parseTargeting(aDefinition({ treatments: [{ name: 'on', keys: list }, { name: 'off' }] }));
  const [emptied] = compareRows(differencesBetween(keys(['ana']), keys([])), sides);
  assert.deepEqual([emptied?.name, emptied?.isRemoval], ['Individual targets of on', true]);
  const [filled] = compareRows(differencesBetween(keys([]), keys(['ana'])), sides);
  assert.equal(filled?.isRemoval, false);
});

test('no two rows have the same name, and no difference is lost', () => {
  fc.assert(
    fc.property(targeting, targeting, (left, right) => {
      const differences = differencesBetween(right, left);
      const rows = compareRows(differences, sides);
      assert.deepEqual(new Set(rows.map(({ difference }) => difference)), new Set(differences));
      assert.equal(new Set(rows.map(({ name }) => name)).size, differences.length);
    }),
  );
});
