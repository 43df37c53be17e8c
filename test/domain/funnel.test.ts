/** The share of all keys that each step takes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { funnelOf, type Taken } from '#domain/evaluation/funnel.ts';
import { aDefinition } from '../support/build.ts';

const ruleOn = (matcher: object) => ({
  buckets: [{ treatment: 'on', size: 100 }],
  condition: { matchers: [matcher] },
});
const country = ruleOn({ type: 'IN_LIST_STRING', attribute: 'country', strings: ['DE'] });
const listed = ruleOn({ type: 'IN_LIST_STRING', strings: ['ana'] });
const everybody = ruleOn({ type: 'STARTS_WITH_STRING', strings: [''] });
const inSegment = ruleOn({ type: 'IN_SEGMENT', string: 'staff' });

const funnel = (changes: Record<string, unknown>) => funnelOf(parseTargeting(aDefinition(changes)), () => 'notDefined');
const shareOf = ({ min, max }: Taken) => [min, max];

test('without rules, the allocation and everyone else share all keys exactly', () => {
  const found = funnel({ trafficAllocation: 80 });
  assert.ok(found);
  assert.deepEqual(shareOf(found.targets), [0, 0]);
  assert.deepEqual(shareOf(found.allocation), [20, 20]);
  assert.deepEqual(shareOf(found.rest), [80, 80]);
});

test('a rule that asks for an attribute takes an unknown share, and what follows gets at most the rest', () => {
  const found = funnel({ trafficAllocation: 80, rules: [country, listed] });
  assert.ok(found);
  assert.deepEqual(found.rules.map(shareOf), [
    [0, 80],
    [0, 0],
  ]);
  assert.deepEqual(found.rules[0]?.asksFor, [{ kind: 'attribute', name: 'country' }]);
  assert.deepEqual(shareOf(found.rest), [0, 80]);
});

test('a rule that matches every key takes all that is left, and a killed flag has no shares', () => {
  assert.deepEqual(funnel({ rules: [everybody, country] })?.rules.map(shareOf), [
    [100, 100],
    [0, 0],
  ]);
  assert.deepEqual(funnel({ rules: [everybody] })?.rest.max, 0);
  assert.equal(funnel({ killed: true }), undefined);
});

test('no step gets more than the steps before it leave, and at most all keys are taken for certain', () => {
  const rules = fc.array(fc.constantFrom(country, listed, everybody, inSegment), { maxLength: 6 });
  fc.assert(
    fc.property(rules, fc.nat(100), (list, trafficAllocation) => {
      const found = funnel({ rules: list, trafficAllocation });
      assert.ok(found);
      const steps = [found.targets, found.allocation, ...found.rules, found.rest];
      let left = 100;
      for (const step of steps) {
        assert.ok(step.min <= step.max && step.max <= left + 1e-9, JSON.stringify(steps));
        assert.ok(step.left <= left + 1e-9);
        left = step.left;
      }
      assert.equal(left, 0);
      assert.ok(steps.reduce((sum, { min }) => sum + min, 0) <= 100 + 1e-9);
      assert.ok(steps.reduce((sum, { max }) => sum + max, 0) >= 100 - 1e-9);
    }),
  );
});
