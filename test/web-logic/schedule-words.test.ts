import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Changeset, Edit } from '#domain/changesets.ts';
import {
  approvedWords,
  changeWords,
  editWords,
  phaseOf,
  shownSteps,
  timeWords,
  waitWords,
  whenWords,
} from '../../web/src/changesets/schedule-words.ts';

const [hour, day] = [3_600_000, 86_400_000];
const start = Date.parse('2026-11-20T08:00:00Z');
const by = { type: 'user', id: 'u1', name: 'Ana Ruiz' };
const share = (on: number): Edit => ({
  kind: 'patch',
  operations: [
    {
      op: 'replace',
      path: '/defaultRule',
      value: [
        { treatment: 'on', size: on },
        { treatment: 'off', size: 100 - on },
      ],
    },
  ],
});
const of = (edit: Edit) => ({
  flag: { id: 'f', name: 'one_page' },
  environment: { id: 'e', name: 'Production' },
  edit,
});
const steps = [
  { waitMs: day, operations: [of(share(25))] },
  { hold: true, operations: [of(share(50))] },
  { waitMs: day, operations: [of(share(100))] },
];
const ramp = (status: Changeset['status'], schedule: Partial<Changeset['schedule']>) => ({
  status,
  operations: [of(share(10))],
  schedule: { by, steps, appliedAt: [], ...schedule },
});

test('a step that comes after a hold has no time, and the one after a wait has', () => {
  const shown = shownSteps(ramp('SCHEDULED', { appliedAt: [start], dueAt: start + day }));
  assert.deepEqual(
    shown.map(({ state, at }) => [state, at]),
    [
      ['done', start],
      ['next', start + day],
      ['coming', undefined],
      ['coming', undefined],
    ],
  );
  assert.equal(shownSteps(ramp('SCHEDULED', { dueAt: start }))[1]?.at, start + day);
});

test('a step that holds or is paused waits for someone even after the approval that it lacks', () => {
  const begun = { appliedAt: [start, start + day] };
  const wordsFor = (schedule: Partial<Changeset['schedule']>) => {
    const asked = ramp('SCHEDULE_REQUESTED', schedule);
    const next = shownSteps(asked).find(({ state }) => state === 'next');
    return [approvedWords(asked), next && whenWords(next, asked)];
  };
  const stopped = [
    'Then step 3 of 4 still waits until someone resumes it.',
    'when it is approved and someone resumes it',
  ];
  assert.deepEqual(wordsFor(begun), stopped);
  assert.deepEqual(wordsFor({ ...begun, pausedAt: start, leftMs: hour }), stopped);
  const due = wordsFor({ ...begun, dueAt: start });
  assert.deepEqual(due, ['It continues with step 3 of 4 then.', 'when it is approved']);
  const paused = ramp('SCHEDULED', { ...begun, pausedAt: start });
  const [, , third, fourth] = shownSteps(paused);
  assert.deepEqual(third && whenWords(third, paused), 'when someone resumes it');
  assert.deepEqual(fourth && whenWords(fourth, paused), '1 day after step 3');
});

test('the step that failed is marked, and those after it are never applied', () => {
  const failed = shownSteps(ramp('FAILED', { appliedAt: [start] }));
  assert.deepEqual(
    failed.map(({ state }) => state),
    ['done', 'failed', 'never', 'never'],
  );
});

test('a schedule waits, is paused, holds or is over', () => {
  assert.equal(phaseOf(ramp('SCHEDULE_REQUESTED', { dueAt: start })), 'requested');
  assert.equal(phaseOf(ramp('SCHEDULED', { dueAt: start })), 'waiting');
  assert.equal(phaseOf(ramp('SCHEDULED', { pausedAt: start })), 'paused');
  assert.equal(phaseOf(ramp('SCHEDULED', { appliedAt: [1, 2] })), 'held');
  assert.equal(phaseOf(ramp('WITHDRAWN', { appliedAt: [1] })), 'over');
  assert.equal(phaseOf({ status: 'DRAFT' }), undefined);
});

test('an edit is said in shares where it changes shares, and counted otherwise', () => {
  assert.equal(editWords(share(25)), 'Everyone else: on 25%, off 75%');
  assert.equal(editWords({ kind: 'kill' }), 'Kill');
  const operations = [
    { op: 'replace' as const, path: '/rules/1/buckets', value: [{ treatment: 'on', size: 100 }] },
    { op: 'replace' as const, path: '/trafficAllocation', value: 40 },
    { op: 'remove' as const, path: '/rules/0' },
  ];
  assert.equal(editWords({ kind: 'patch', operations }), 'Rule 2: on 100%; Traffic allocation: 40%; and 1 change');
});

test('times are those of the zone that was asked for, and waits are exact', () => {
  const year = new Date().getUTCFullYear();
  const at = Date.parse(`${year}-07-01T07:30:00Z`);
  assert.match(timeWords(at, 'Europe/Berlin'), /^[A-Z][a-z]{2} 1 Jul, 09:30$/);
  assert.match(timeWords(Date.parse('2020-07-01T07:30:00Z'), 'UTC'), /^Wed 1 Jul 2020, 07:30$/);
  assert.deepEqual([day, 36 * hour, hour, 90 * 60_000].map(waitWords), ['1 day', '36 hours', '1 hour', '90 minutes']);
});

test('a step is said by the treatments that grow', () => {
  const point = (on: number, killed = false) => ({
    shares: [
      { treatment: 'on', size: on },
      { treatment: 'off', size: 100 - on },
    ],
    killed,
  });
  assert.equal(changeWords(point(10), point(25)), 'on 10% → 25%');
  assert.equal(changeWords(undefined, point(25)), 'on 0% → 25%, off 0% → 75%');
  assert.equal(changeWords(point(20), point(10)), 'off 80% → 90%');
  assert.equal(changeWords(point(20), point(10), [point(10), point(100)]), 'on 20% → 10%', 'the ramp raises on');
  assert.equal(changeWords(point(20), point(10), [point(10), point(0)]), 'off 80% → 90%');
  assert.equal(changeWords(point(10), point(10)), '');
  assert.equal(changeWords(point(10), point(10, true)), 'kills it');
});
