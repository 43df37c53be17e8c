import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { View } from '#domain/views.ts';
import { choicesOf, columnsOf, isChanged, queryOf, searchOf } from '../../web/src/features/flags/views.ts';

const view: View = {
  id: 'id',
  name: 'Ramping',
  shared: true,
  query: 'sort=-name&status=Experimenting&status=Ramping',
  columns: ['-tags', 'created'],
};

test('a view opens with all of its search, and nothing else', () => {
  const { view: address, q, tag, sort, status } = searchOf(view);
  assert.deepEqual([address, q, tag, sort], ['shared/Ramping', undefined, undefined, '-name']);
  assert.deepEqual(status, ['Experimenting', 'Ramping']);
  assert.equal(searchOf({ ...view, shared: false }).view, 'own/Ramping');
});

test('a saved view is restored unchanged', () => {
  assert.equal(queryOf(searchOf(view)), view.query);
  assert.equal(queryOf({}), '');
  assert.deepEqual(columnsOf(choicesOf(view.columns)), view.columns);
});

test('a view is changed by other filters, another order and other columns, and not by the order of values', () => {
  const search = searchOf(view);
  const choices = choicesOf(view.columns);
  assert.equal(isChanged(view, search, choices), false);
  assert.equal(isChanged(view, { ...search, status: ['Ramping', 'Experimenting'] }, choices), false);
  assert.equal(isChanged(view, { ...search, q: 'pay' }, choices), true);
  assert.equal(isChanged(view, { ...search, status: ['Ramping'] }, choices), true);
  assert.equal(isChanged(view, { ...search, sort: undefined }, choices), true);
  assert.equal(isChanged(view, search, { ...choices, owner: false }), true);
});
