import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { permissions } from '#domain/access.ts';
import type { Change } from '#domain/changes.ts';
import { byDay, dateValue, dayOf, endOfDay, startOfDay } from '../../web/src/activity/days.ts';
import { fieldChanges } from '../../web/src/activity/field-changes.ts';
import { sentenceOf } from '../../web/src/activity/sentences.ts';

const aChange = (fields: Partial<Change>): Change => ({
  id: '1',
  type: 'audit_log',
  auditLogType: 'flag.created',
  object: { type: 'flag', id: 'f', name: 'checkout' },
  editor: { type: 'user', id: 'u', name: 'ana@example.org' },
  createdAt: 0,
  transactionId: 't',
  ...fields,
});

const inWords = (change: Change): string =>
  sentenceOf(change)
    .map((part) => (typeof part === 'string' ? part.toUpperCase() : part.words))
    .join('');

suite('sentences of the audit log', () => {
  test('everything that is recorded has one', () => {
    const folder = fileURLToPath(new URL('../../src/commands', import.meta.url));
    const recorded = globSync('*.ts', { cwd: folder })
      .flatMap((file) =>
        [...readFileSync(join(folder, file), 'utf8').matchAll(/'([a-zA-Z_]+\.[a-z_]+)'/g)].map(
          ([, action = '']) => action,
        ),
      )
      .filter((word) => !(permissions as readonly string[]).includes(word));
    assert.ok(recorded.length > 35, String(recorded.length));
    for (const auditLogType of recorded) {
      const words = inWords(aChange({ auditLogType }));
      // What is not spoken of is told by its bare name.
      assert.doesNotMatch(words, /^\w+ flag OBJECT$/, auditLogType);
    }
  });

  test('unknown actions have a sentence too', () => {
    assert.equal(inWords(aChange({ auditLogType: 'flag.turned_over' })), 'turned over flag OBJECT');
  });

  test('the thing and the environment have their places', () => {
    assert.equal(inWords(aChange({ auditLogType: 'definition.killed' })), 'killed OBJECT in ENVIRONMENT');
  });

  const users: [unknown, unknown, string][] = [
    [{ status: 'ACTIVE' }, { status: 'DEACTIVATED' }, 'deactivated OBJECT'],
    [{ status: 'DEACTIVATED' }, { status: 'ACTIVE' }, 'activated OBJECT'],
    [{ '2fa': true }, { '2fa': false }, 'turned off the second factor for OBJECT'],
    [{ groups: [{ id: 'a' }] }, {}, 'changed the groups of OBJECT'],
    [{ name: 'a' }, { name: 'b' }, 'changed OBJECT'],
  ];
  for (const [before, after, words] of users) {
    test(`a change of a user: ${words}`, () =>
      assert.equal(inWords(aChange({ auditLogType: 'user.patched', before, after })), words));
  }
});

suite('fields that changed', () => {
  const named = (id: string) => (id === 'g' ? 'Checkout team' : undefined);

  test('in words of people, with ids told by their names', () => {
    const before = {
      name: 'a',
      production: false,
      groups: [],
      tags: null,
      rolloutStatus: { id: '1', name: 'Ramping' },
    };
    const after = {
      name: 'b',
      production: true,
      groups: [{ id: 'g' }, { id: 'gone' }],
      tags: [{ name: 'x' }, { name: 'y' }],
      rolloutStatus: { id: '2', name: 'Permanent' },
    };
    assert.deepEqual(
      fieldChanges(before, after, named).map((field) => `${field.name}: ${field.before} → ${field.after}`),
      [
        'Name: a → b',
        'Tags: nothing → x, y',
        'Rollout status: Ramping → Permanent',
        'Production: no → yes',
        'Groups: nobody → Checkout team, gone',
      ],
    );
  });

  test('access to a project', () => {
    const access = (view: boolean, viewers: object[]) => ({
      operations: { view },
      resourcePermissions: { view: viewers },
    });
    assert.deepEqual(
      fieldChanges(access(false, []), access(true, [{ id: 'g', name: 'Administrators', type: 'group' }]), named).map(
        (field) => `${field.name}: ${field.before} → ${field.after}`,
      ),
      ['Can view: everyone with an account → only Administrators'],
    );
  });

  test('approvals of an environment', () => {
    const ana = { id: 'u', name: 'Ana Ruiz', type: 'user' };
    const approvals = { areApprovalsRequired: true, allowKills: true, areApproversRestricted: true, approvers: [ana] };
    assert.deepEqual(
      fieldChanges({ changePermissions: {} }, { changePermissions: approvals }, named).map(
        (field) => `${field.name}: ${field.before} → ${field.after}`,
      ),
      [
        'Approvers: everyone who can edit definitions → only Ana Ruiz',
        'Approvals required: no → yes',
        'Kills without approval: no → yes',
      ],
    );
    const skippers = { changePermissions: { approvalSkippableBy: [ana] } };
    assert.deepEqual(fieldChanges({}, skippers, named), [
      { name: 'Changes without approval by', after: 'added Ana Ruiz' },
    ]);
  });

  test('nothing of what is new, gone, or the same', () => {
    assert.deepEqual(fieldChanges(undefined, { name: 'a' }, named), []);
    assert.deepEqual(fieldChanges({ name: 'a' }, undefined, named), []);
    assert.deepEqual(fieldChanges({ name: 'a', id: 1 }, { name: 'a', id: 2 }, named), []);
  });
});

suite('days', () => {
  const noon = new Date(2026, 10, 15, 12).getTime();
  const hour = 3_600_000;

  test('are called as people call them', () => {
    assert.equal(dayOf(noon - 11 * hour, noon), 'Today');
    assert.equal(dayOf(noon - 13 * hour, noon), 'Yesterday');
    assert.equal(dayOf(new Date(2026, 10, 13).getTime(), noon), 'Friday 13 November');
    assert.match(dayOf(new Date(2025, 11, 31).getTime(), noon), /^Wednesday,? 31 December 2025$/);
  });

  test('keep what happened on them together, in order', () => {
    const at = [noon, noon - hour, noon - 24 * hour].map((createdAt) => ({ createdAt }));
    assert.deepEqual(
      byDay(at, noon).map(({ day, items }) => [day, items.length]),
      [
        ['Today', 2],
        ['Yesterday', 1],
      ],
    );
  });

  test('begin and end at midnight, wherever the browser is', () => {
    assert.equal(startOfDay('2026-11-15'), new Date(2026, 10, 15).getTime());
    assert.equal(endOfDay('2026-11-15'), new Date(2026, 10, 16).getTime() - 1);
    assert.equal(startOfDay('2026-3-1'), undefined);
    assert.equal(endOfDay(undefined), undefined);
    assert.equal(dateValue(0, noon), '2026-11-15');
    assert.equal(dateValue(15, noon), '2026-10-31');
  });
});
