import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlagTraffic } from '#domain/traffic.ts';
import { compareShares, isUnlikely, labelInWords } from '../../web/src/features/definitions/traffic/shares.ts';
import { bandsOf, evaluatedTreatments, evaluationSteps, highest } from '../../web/src/timeline/evaluations.ts';
import { timeScale } from '../../web/src/timeline/geometry.ts';

const traffic = (series: FlagTraffic['series'], rules: FlagTraffic['rules'] = []): FlagTraffic => ({
  from: 0,
  stepMilliseconds: 100,
  lastTrafficReceivedAt: 400,
  evaluations: 1,
  askers: [],
  series,
  rules,
});
const rule = (label: string, on: number): FlagTraffic['rules'][number] => ({
  label,
  evaluations: 1,
  treatments: [
    { treatment: 'on', evaluations: 1, measured: 0, expected: on },
    { treatment: 'off', evaluations: 1, measured: 0, expected: 100 - on },
  ],
});

test('evaluations are stacked in the order of the definition, those without a treatment on top', () => {
  const given = traffic([
    { counts: [0, 10] },
    { treatment: 'off', label: 'default rule', counts: [20, 30] },
    { treatment: 'on', label: 'default rule', counts: [20, 10] },
    { treatment: 'on', label: 'killed', counts: [0, 0] },
    { treatment: 'gone', counts: [0, 0] },
  ]);
  const treatments = evaluatedTreatments(given, ['on', 'off']);
  assert.deepEqual(treatments, ['on', 'off', undefined]);
  const scale = timeScale({ from: 0, now: 200, width: 200, ahead: 0 });
  const steps = evaluationSteps(given, treatments, scale);
  assert.deepEqual(
    steps.map(({ start, end, total }) => [start, end, total]),
    [
      [0, 100, 40],
      [100, 200, 50],
    ],
  );
  assert.equal(highest(steps), 50);
  assert.equal(bandsOf(steps, 50)[1]?.path, 'M0 10H100L100 10H200L200 40H100L100 30H0Z');
  assert.equal(evaluationSteps(given, treatments, { ...scale, from: 150 }).length, 1);
});

test('shares are measured since the definition is what it is, and expected by how much each rule decides', () => {
  const given = traffic(
    [
      { treatment: 'on', label: 'default rule', counts: [900, 10, 20] },
      { treatment: 'off', label: 'default rule', counts: [0, 30, 20] },
      { treatment: 'on', label: 'in segment staff', counts: [0, 10, 10] },
      { counts: [0, 1, 2] },
    ],
    [rule('default rule', 50), rule('in segment staff', 100)],
  );
  const { all, rules, unnamed, from, comparedFrom } = compareShares(given, 40);
  assert.deepEqual({ unnamed, from, comparedFrom }, { unnamed: 3, from: 100, comparedFrom: undefined });
  assert.deepEqual(
    rules.map(({ label, evaluations }) => [label, evaluations]),
    [
      ['default rule', 80],
      ['in segment staff', 20],
    ],
  );
  assert.deepEqual(all, {
    evaluations: 100,
    shares: [
      { treatment: 'on', measured: 50, expected: 60 },
      { treatment: 'off', measured: 50, expected: 40 },
    ],
  });
});

test('until an hour that begins after the change, evaluations are shown without comparing them', () => {
  const given = traffic(
    [
      { treatment: 'on', label: 'default rule', counts: [5, 5] },
      { treatment: 'off', label: 'killed', counts: [0, 10] },
    ],
    [rule('default rule', 50)],
  );
  const { comparedFrom, from, all, rules } = compareShares(given, 150);
  assert.deepEqual([comparedFrom, from, all.evaluations], [200, 0, 20]);
  const expected = [all, ...rules].flatMap(({ shares }) => shares.map((share) => share.expected));
  assert.deepEqual([...new Set(expected)], [undefined]);
});

test('if rules are missing from the definition, no overall share is shown; individual targets count as reported', () => {
  const counts = [10];
  const unknown = [
    { treatment: 'on', label: 'default rule', counts },
    { treatment: 'on', label: 'in segment former', counts },
  ];
  assert.equal(compareShares(traffic(unknown, [rule('default rule', 50)]), 0).all.shares[0]?.expected, undefined);
  const targets = [
    { treatment: 'on', label: 'default rule', counts },
    { treatment: 'on', label: 'whitelisted', counts },
  ];
  assert.equal(compareShares(traffic(targets, [rule('default rule', 50)]), 0).all.shares[0]?.expected, 75);
});

test('rules are named as in the ladder, former ones as SDKs name them', () => {
  const matchers = [{ type: 'IN_LIST_STRING' as const, attribute: 'plan', strings: ['pro'] }];
  const rules = [{ condition: { combiner: 'AND' as const, matchers }, buckets: [] }];
  const words = (label: string) => labelInWords(label, { rules, trafficType: 'user' });
  assert.equal(words('plan in list [pro]'), 'plan is one of pro');
  assert.equal(words('plan in list [free]'), 'plan in list [free]');
  assert.equal(words('default rule'), 'Everyone else');
});

test('a difference that chance explains is not pointed at', () => {
  const share = { treatment: 'on', measured: 53, expected: 50 };
  assert.equal(isUnlikely(share, 100), false);
  assert.equal(isUnlikely(share, 10_000), true);
  assert.equal(isUnlikely({ treatment: 'on', measured: 50 }, 10_000), false);
});
