import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Targeting } from '#domain/definitions/definition.ts';
import {
  complaintsOf,
  newPlan,
  type Plan,
  presetsFor,
  scheduledAs,
  stepsOf,
  timesOf,
} from '../../web/src/changesets/ramp.ts';
import type { Draft } from '../../web/src/state/drafts.ts';

const now = Date.parse('2026-11-17T12:00:00Z');
const day = 86_400_000;
const shares = (on: number) => [
  { treatment: 'on', size: on },
  { treatment: 'off', size: 100 - on },
];
const targeting = (on: number, more: Partial<Targeting> = {}): Targeting => ({
  killed: false,
  treatments: [{ name: 'on' }, { name: 'off' }],
  defaultTreatment: 'off',
  baselineTreatment: 'off',
  trafficAllocation: 100,
  rules: [],
  defaultRule: shares(on),
  impressionsDisabled: false,
  ...more,
});
const draftTo = (after: Targeting, base: Targeting | null = targeting(0)): Draft => ({
  base,
  targeting: after,
  conflicts: [],
  etag: base && '"1"',
});
const place = { flag: 'one_page', environment: 'e1' };
const ramp = (draft: Draft, more: Partial<Plan> = {}): Plan => ({
  ...newPlan(draft, now),
  isRamp: true,
  start: 'now',
  ...more,
});

test('a ramp goes from what is saved to what the draft asks for', () => {
  assert.deepEqual(presetsFor(draftTo(targeting(100)), { part: 'everyone', treatment: 'on' }), [
    [1, 10, 50, 100],
    [10, 25, 50, 100],
    [10, 'hold', 100],
  ]);
  const [first] = presetsFor(draftTo(targeting(50), targeting(20)), { part: 'everyone', treatment: 'on' });
  assert.deepEqual(first, [25, 50]);
  const plan = newPlan(draftTo(targeting(10), targeting(90)), now);
  assert.equal(plan.treatment, 'off', 'what grows is ramped');
});

test('the first step has all other changes, and the last is the draft', () => {
  const draft = draftTo(targeting(100, { trafficAllocation: 80 }));
  const plan = ramp(draft, { steps: stepsOf([10, 'hold', 100]), part: 'everyone', treatment: 'on' });
  assert.deepEqual(scheduledAs(plan, draft, place), {
    operation: {
      ...place,
      edit: {
        kind: 'patch',
        operations: [
          { op: 'replace', path: '/trafficAllocation', value: 80 },
          { op: 'replace', path: '/defaultRule', value: shares(10) },
        ],
      },
      ifMatch: '"1"',
    },
    schedule: {
      steps: [
        {
          hold: true,
          operations: [
            {
              ...place,
              edit: { kind: 'patch', operations: [{ op: 'replace', path: '/defaultRule', value: shares(100) }] },
            },
          ],
        },
      ],
    },
  });
});

test('a treatment that everybody is to get grows at the expense of what they have now', () => {
  const draft = draftTo(
    targeting(0, { defaultRule: [{ treatment: 'on', size: 100 }] }),
    targeting(0, { defaultRule: [{ treatment: 'off', size: 100 }] }),
  );
  const plan = ramp(draft);
  assert.equal(plan.treatment, 'on');
  const { operation } = scheduledAs({ ...plan, steps: stepsOf([25, 100]) }, draft, place);
  assert.deepEqual(operation.edit.operations, [{ op: 'replace', path: '/defaultRule', value: shares(25) }]);
});

test('times follow from the start and the waits, and are unknown after a hold', () => {
  const draft = draftTo(targeting(100));
  const plan: Plan = {
    ...ramp(draft, { steps: stepsOf([1, 10, 'hold', 100]) }),
    ...{ start: 'time', day: Date.UTC(2026, 10, 20), time: '9:00', zone: 'Europe/Berlin' },
  };
  const start = Date.parse('2026-11-20T08:00:00Z');
  assert.deepEqual(timesOf(plan, now), [start, start + day, undefined]);
  assert.deepEqual(scheduledAs(plan, draft, place).schedule.at, { time: '2026-11-20T09:00', zone: 'Europe/Berlin' });
});

test('what the server would refuse is said at its field', () => {
  const draft = draftTo(targeting(100), targeting(10));
  const timed = { ...newPlan(draft, now), day: Date.UTC(2026, 10, 17), time: '09:00', zone: 'UTC' };
  assert.deepEqual(complaintsOf(timed, draft, now), { time: 'This time has passed.' });
  assert.deepEqual(Object.keys(complaintsOf({ ...timed, day: undefined }, draft, now)), ['day']);
  assert.deepEqual(Object.keys(complaintsOf({ ...timed, zone: 'Berlin' }, draft, now)), ['zone']);
  const steps = stepsOf([10, 10, 100]).map((step, index) => (index === 2 ? { ...step, wait: '91' } : step));
  assert.deepEqual(complaintsOf(ramp(draft, { steps }), draft, now), {
    'percent 1': 'This is how it is now.',
    'percent 2': 'The same as the step before.',
    'wait 3': 'At most 90 days.',
  });
  assert.deepEqual(complaintsOf(ramp(draft, { steps: stepsOf([25, 100]) }), draft, now), {});
});
