import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change } from '#domain/changes.ts';
import { parseTargeting } from '#domain/definition-bodies.ts';
import { rolloutLine } from '../../web/src/features/definitions/rollout-line.ts';
import { aDefinition } from '../support/build.ts';

const withShare = (on: number, killed = false) =>
  parseTargeting(
    aDefinition({
      killed,
      defaultRule: [
        { treatment: 'on', size: on },
        { treatment: 'off', size: 100 - on },
      ],
    }),
  );
const change = (createdAt: number, before: unknown, after: unknown): Change => ({
  id: String(createdAt),
  type: 'audit_log',
  auditLogType: 'definition.patched',
  object: { type: 'definition', id: 'f', name: 'f' },
  editor: { type: 'user', id: 'u', name: 'u' },
  createdAt,
  before,
  after,
  transactionId: 't',
});
const span = { treatment: 'on', from: 100, to: 400 };

test('without a change the line is flat', () => {
  assert.deepEqual(rolloutLine([], withShare(30), span), [{ at: 100, share: 30 }]);
});

test('the line steps where the share changed, and starts where it was', () => {
  const changes = [
    change(300, withShare(50), withShare(50, true)),
    change(250, withShare(50), { ...withShare(50), trafficAllocation: 1 }),
    change(200, withShare(10), withShare(50)),
    change(50, withShare(0), withShare(10)),
  ];
  assert.deepEqual(rolloutLine(changes, withShare(50, true), span), [
    { at: 100, share: 10 },
    { at: 200, share: 50 },
    { at: 300, share: 0 },
  ]);
});

test('what was saved after the changes were read counts, too', () => {
  assert.deepEqual(rolloutLine([change(200, withShare(10), withShare(50))], withShare(5), span), [
    { at: 100, share: 10 },
    { at: 200, share: 50 },
    { at: 400, share: 5 },
  ]);
});

test('what is not defined yet or no more has no share', () => {
  const changes = [change(300, withShare(50), undefined), change(200, undefined, withShare(50))];
  assert.deepEqual(rolloutLine(changes, withShare(0), span), [
    { at: 100, share: 0 },
    { at: 200, share: 50 },
    { at: 300, share: 0 },
  ]);
});
