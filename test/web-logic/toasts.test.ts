import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Toast, withToast } from '../../web/src/state/toasts.ts';

const after = (...said: [Toast['kind'], string][]): string[] =>
  said
    .map(([kind, text], id): Toast => ({ id, kind, text }))
    .reduce<Toast[]>(withToast, [])
    .map(({ text }) => text);

test('what is done makes room for the next; what failed stays until it is closed, and is not said twice', () => {
  const done = (text: string): [Toast['kind'], string] => ['done', text];
  assert.deepEqual(after(['failed', 'x'], done('1'), done('2'), done('3'), done('4')), ['x', '2', '3', '4']);
  assert.deepEqual(after(['failed', 'x'], ['failed', 'y'], done('1'), ['failed', 'x']), ['y', '1', 'x']);
});
