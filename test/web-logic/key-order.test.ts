import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder, nextOrder, orderOf } from '../../web/src/features/api-keys/key-order.ts';

const keys = [
  { name: 'shop 10', createdAt: 1, lastUsedAt: 9 },
  { name: 'shop 9', createdAt: 2 },
  { name: 'Audit', createdAt: 3, lastUsedAt: 4 },
];
const namesIn = (text?: string) => inOrder(keys, orderOf(text)).map(({ name }) => name);

test('keys are in order of creation, until the address says otherwise', () => {
  for (const text of [undefined, 'created', 'colour']) assert.deepEqual(namesIn(text), ['shop 10', 'shop 9', 'Audit']);
  assert.deepEqual(namesIn('name'), ['Audit', 'shop 9', 'shop 10']);
  assert.deepEqual(namesIn('-name'), ['shop 10', 'shop 9', 'Audit']);
  assert.deepEqual(namesIn('used'), ['shop 9', 'Audit', 'shop 10'], 'never used comes first');
});

test('a second click on a column turns its order round', () => {
  assert.equal(nextOrder(orderOf('name'), 'name'), '-name');
  assert.equal(nextOrder(orderOf('-name'), 'name'), 'name');
  assert.equal(nextOrder(orderOf('-name'), 'used'), 'used');
});
