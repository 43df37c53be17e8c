import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Targeting } from '#domain/definitions/definition.ts';
import {
  complaintsOf,
  newPlan,
  newStart,
  type Plan,
  presetsFor,
  scheduledAs,
  stepsOf,
  timesOf,
} from '../../web/src/changesets/ramp.ts';
import { planComplaints, rampOf, requestOf } from '../../web/src/features/changesets/ramp-over.ts';
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
    start: 'time',
    day: Date.UTC(2026, 10, 20),
    time: '9:00',
    zone: 'Europe/Berlin',
  };
  const start = Date.parse('2026-11-20T08:00:00Z');
  assert.deepEqual(timesOf(plan, now), [start, start + day, undefined]);
  assert.deepEqual(scheduledAs(plan, draft, place).schedule.at, { time: '2026-11-20T09:00', zone: 'Europe/Berlin' });
});

test('errors that the server would report are shown at their fields', () => {
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

const flag = (name: string) => ({ id: name, name });
const production = { id: 'p', name: 'Production' };
const patchTo = (on: number) => ({
  kind: 'patch' as const,
  operations: [{ op: 'replace' as const, path: '/defaultRule', value: shares(on) }],
});
/** A changeset that takes shares from one percentage to another, and kills something. */
const changesetTo = (ends: Readonly<Record<string, readonly [from: number, to: number]>>) => {
  const operations = [
    ...Object.entries(ends).map(([name, [, to]]) => ({ flag: flag(name), environment: production, edit: patchTo(to) })),
    { flag: flag('old'), environment: production, edit: { kind: 'kill' as const } },
  ];
  const planned = Object.values(ends).map(([from, to]) => ({
    differences: [{ kind: 'defaultRule', before: shares(from), after: shares(to) }],
  }));
  return {
    changeset: { status: 'DRAFT', operations } as unknown as Parameters<typeof rampOf>[0],
    plan: { operations: planned } as unknown as Parameters<typeof rampOf>[1],
  };
};
type Scheduled = NonNullable<Parameters<typeof rampOf>[0]['schedule']>;
/** As the server has it after the request. */
const scheduled = ({ changeset }: ReturnType<typeof changesetTo>, sent: ReturnType<typeof requestOf>, done: number) => {
  const edits = new Map(sent.operations?.map((one) => [one.flag, one.edit]));
  const steps = sent.steps?.map((one) => ({
    ...one,
    operations: one.operations.map((op) => ({ flag: flag(op.flag ?? ''), environment: production, edit: op.edit })),
  }));
  const operations = changeset.operations.map((one) => ({ ...one, edit: edits.get(one.flag?.id ?? '') ?? one.edit }));
  const schedule = { by: flag('me'), steps, appliedAt: Array.from({ length: done }, () => now) };
  return { ...changeset, operations, schedule: schedule as unknown as Scheduled, status: 'SCHEDULED' as const };
};

test('all definitions whose share grows are ramped together, each to its own end, and can be edited again', () => {
  const things = changesetTo({ one: [0, 100], half: [20, 50] });
  const ramp = rampOf(things.changeset, things.plan);
  assert.ok(ramp);
  assert.deepEqual(ramp.others, ['old in Production']);
  const plan = { ...newStart(now), start: 'now' as const, isRamp: true, steps: stepsOf([10, 25, 'hold', 100]) };
  assert.deepEqual(planComplaints(plan, ramp, now), {});
  const sent = requestOf(plan, ramp);
  const said = (all: { flag?: string | undefined; edit: object }[] = []) =>
    all.map((one) => [one.flag, (one.edit as ReturnType<typeof patchTo>).operations[0]?.value[0]?.size]);
  assert.deepEqual(
    said(sent.operations),
    [
      ['one', 10],
      ['half', 20],
    ],
    'no share goes back',
  );
  assert.deepEqual(
    sent.steps?.map((one) => said(one.operations)),
    [
      [
        ['one', 25],
        ['half', 25],
      ],
      [
        ['one', 100],
        ['half', 50],
      ],
    ],
  );
  const short = planComplaints({ ...plan, steps: stepsOf([10, 60]) }, ramp, now);
  assert.deepEqual(short, { 'percent 2': 'The last step reaches 100%, as the changeset asks.' });
  const plans = (percents: readonly number[]) =>
    ({
      operations: percents.map((on, index) => ({
        differences: on === index * 20 ? [] : [{ kind: 'defaultRule', before: shares(index * 20), after: shares(on) }],
        conflicts: [],
      })),
    }) as unknown as Parameters<typeof rampOf>[1];
  // Before it begins, all of it; afterwards, what is still to come.
  const again = rampOf(scheduled(things, sent, 0), plans([10, 20]));
  assert.deepEqual(
    again?.steps.map(({ percent, unit }) => `${percent} ${unit}`),
    ['10 days', '25 days', '100 hold'],
  );
  const begun = rampOf(scheduled(things, sent, 2), plans([]));
  assert.ok(begun);
  assert.deepEqual(
    begun.steps.map(({ percent, unit }) => `${percent} ${unit}`),
    ['100 hold'],
  );
  const later = requestOf(
    {
      ...plan,
      steps: [
        { id: 0, percent: '40', wait: '2', unit: 'hours' },
        { id: 1, percent: '100', wait: '1', unit: 'days' },
      ],
    },
    begun,
  );
  assert.deepEqual(
    later.steps?.map((one) => [one.waitMs, said(one.operations)]),
    [
      [
        7_200_000,
        [
          ['one', 40],
          ['half', 40],
        ],
      ],
      [
        day,
        [
          ['one', 100],
          ['half', 50],
        ],
      ],
    ],
  );
  assert.deepEqual(Object.keys(later), ['steps']);
});
