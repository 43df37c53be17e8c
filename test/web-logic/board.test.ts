import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultRolloutStatuses } from '#domain/default-rollout-statuses.ts';
import { inBoardOrder } from '../../web/src/features/flags/board.ts';

const first = defaultRolloutStatuses.map(({ name }) => name);
const orderOf = (names: readonly string[]) =>
  inBoardOrder(names.map((name) => ({ id: name, name, description: '' }))).map(({ name }) => name);

test('the board shows the lifecycle of a flag, not the order of the API', () => {
  assert.deepEqual(orderOf(first).slice(-3), ['Permanent', 'Killed', 'Removed from Code']);
});

test('statuses that a project added come last, and those that it deleted are left out', () => {
  const names = [...first.filter((name) => name !== 'Ramping'), 'Waiting for legal'];
  assert.deepEqual(orderOf(names).slice(-3), ['Killed', 'Removed from Code', 'Waiting for legal']);
  assert.equal(orderOf(names).length, 10);
});

test('once people have moved or renamed a status, the order of the project counts', () => {
  const moved = [...first.slice(1), first[0] ?? ''];
  assert.deepEqual(orderOf(moved), moved);
  const renamed = first.map((name) => (name === 'Ramping' ? 'Rolling out' : name));
  assert.deepEqual(orderOf(renamed), renamed);
});
