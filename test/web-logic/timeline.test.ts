import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RolloutChange, RolloutPoint } from '#domain/rollouts.ts';
import { colourOf, withComing } from '../../web/src/kit/treatments.ts';
import {
  areaOf,
  aroundChange,
  dotsOf,
  killsOf,
  plannedSteps,
  raisedIn,
  shareInside,
  stepsOf,
  ticksOf,
  timeScale,
  treatmentsOf,
  untilNow,
} from '../../web/src/timeline/geometry.ts';

const scale = timeScale({ from: 0, now: 1_000, width: 1_000, ahead: 0 });
const point = (at: number, on: number, more: Partial<RolloutPoint> = {}): RolloutPoint => ({
  at,
  shares: [
    { treatment: 'on', size: on },
    { treatment: 'off', size: 100 - on },
  ],
  killed: false,
  allocation: 100,
  defaultTreatment: 'off',
  ...more,
});
const change = (at: number, action = 'definition.patched', count = 1): RolloutChange => ({
  id: `${at}`,
  at,
  action,
  count,
  editor: { type: 'user', id: 'ana', name: 'Ana' },
});

test('shares change in steps, and a kill interrupts them', () => {
  const steps = stepsOf([point(0, 10), point(200, 50), point(400, 0, { killed: true }), point(500, 50)], scale);
  const { line } = areaOf(steps, 'on', ['on', 'off'], 100);
  assert.equal(line, 'M0 90L200 90L200 50L400 50M500 50L1000 50');
  assert.equal(areaOf(steps, 'off', ['on', 'off'], 100).path.startsWith('M0 0L200 0L200 0L400 0L400 50L200 50'), true);
});

test('before a flag is defined, nothing is drawn', () => {
  const steps = stepsOf([point(0, 0, { shares: [] }), point(300, 40)], scale);
  assert.equal(areaOf(steps, 'on', ['on', 'off'], 100).line, 'M300 60L1000 60');
});

test('the default treatment outside the allocation is not inside it', () => {
  const half = {
    shares: [
      { treatment: 'on', size: 20 },
      { treatment: 'off', size: 80 },
    ],
    allocation: 50,
  };
  assert.equal(shareInside(point(0, 0, half), 'off'), 30);
  assert.equal(shareInside(point(0, 0, half), 'on'), 20);
});

test('a short kill is still three pixels wide, and one that continues reaches now', () => {
  const kill = (at: number) => point(at, 0, { killed: true });
  assert.deepEqual(killsOf(stepsOf([point(0, 10), kill(100), point(101, 10), kill(900)], scale)), [
    { x: 100, width: 3, at: 100 },
    { x: 900, width: 100, at: 900 },
  ]);
});

test('changes closer than ten pixels share a dot, which shows a kill among them', () => {
  const dots = dotsOf([change(100), change(105, 'definition.killed'), change(109), change(111), change(300)], scale);
  assert.deepEqual(
    dots.map(({ x, kind, count }) => [x, kind, count]),
    [
      [100, 'killed', 3],
      [111, 'saved', 1],
      [300, 'saved', 1],
    ],
  );
  assert.deepEqual(
    dotsOf([change(1, 'definition.restored'), change(500, 'definition.patched', 7)], scale).map(({ kind, count }) => [
      kind,
      count,
    ]),
    [
      ['restored', 1],
      ['saved', 7],
    ],
  );
});

test('a state that was saved after the history was loaded is its last step', () => {
  const points = [point(0, 10)];
  assert.deepEqual(untilNow(points, point(900, 10)), points);
  assert.deepEqual(untilNow(points, point(900, 33)), [point(0, 10), point(900, 33)]);
});

test('a change is between the states before and after it', () => {
  const points = [point(0, 10), point(200, 50)];
  assert.deepEqual(aroundChange(points, 200), { before: points[0], after: points[1] });
  assert.deepEqual(aroundChange(points, 300), { before: points[1], after: points[1] }, 'it moved nothing');
});

test('treatments that no longer exist are drawn after the others', () => {
  const old = point(0, 0, { shares: [{ treatment: 'gone', size: 100 }] });
  assert.deepEqual(treatmentsOf([old, point(1, 10)], ['on', 'off']), ['on', 'off', 'gone']);
});

test('planned steps lie after now in proportion to their times, and those without a time behind them', () => {
  const ahead = timeScale({ from: 0, now: 1_000, width: 1_000, ahead: 400 });
  const { at: _, ...untimed } = point(0, 100);
  const steps = plannedSteps([point(1_500, 25), point(2_000, 50), untimed], point(900, 10), ahead);
  assert.deepEqual(
    steps.map(({ start, end }) => [start, end]),
    [
      [600, 766],
      [766, 932],
      [932, 966],
      [966, 1_000],
    ],
  );
});

test('treatments raised by planned steps are labelled, even those that do not exist yet', () => {
  const ahead = timeScale({ from: 0, now: 1_000, width: 1_000, ahead: 400 });
  const shares = [
    { treatment: 'on', size: 10 },
    { treatment: 'v2', size: 60 },
    { treatment: 'off', size: 30 },
  ];
  const steps = plannedSteps([point(1_500, 10, { shares })], point(900, 10), ahead);
  assert.equal(raisedIn(steps, ['on', 'off', 'v2']), 'v2');
  assert.equal(raisedIn(plannedSteps([point(1_500, 25)], point(900, 10), ahead), ['on', 'off']), 'on');
  const order = withComing(['a', 'on'], ['a', 'off', 'v2']);
  assert.deepEqual(order, ['a', 'on', 'v2']);
  assert.deepEqual(colourOf('a', order), colourOf('a', ['a', 'on']), 'those that exist keep their colours');
});

test('dates at the end of a month keep their distance', () => {
  const [from, now] = [new Date(2026, 9, 18), new Date(2026, 10, 17)].map(Number);
  const month = timeScale({ from: from ?? 0, now: now ?? 0, width: 1_100, ahead: 0 });
  const days = ticksOf(month).map(({ at }) => new Date(at).getDate());
  assert.deepEqual(days.slice(5, 9), [29, 1, 3, 5], 'not the 31st beside the 1st');
  const distances = ticksOf(month).map(({ x }, index, all) => x - (all[index - 1]?.x ?? Number.NEGATIVE_INFINITY));
  assert.ok(Math.min(...distances) > 50, `${distances}`);
});
