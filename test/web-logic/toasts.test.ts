import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Toast, withToast } from '../../web/src/state/toasts.ts';

const after = (...said: [Toast['kind'], string][]): string[] =>
  said
    .map(([kind, text], id): Toast => ({ id, kind, text }))
    .reduce<Toast[]>(withToast, [])
    .map(({ text }) => text);

test('success toasts make room for the next; errors stay until closed and are not repeated', () => {
  const done = (text: string): [Toast['kind'], string] => ['done', text];
  assert.deepEqual(after(['failed', 'x'], done('1'), done('2'), done('3'), done('4')), ['x', '2', '3', '4']);
  assert.deepEqual(after(['failed', 'x'], ['failed', 'y'], done('1'), ['failed', 'x']), ['y', '1', 'x']);
});

test('a message replaces an earlier one about the same, and with it an action that is too late', () => {
  const said = (id: number, text: string, about?: string): Toast => ({ id, kind: 'done', text, about });
  const shown = [said(1, 'Copied.'), said(2, 'Killed.', 'flag Staging'), said(3, 'Killed.', 'flag Production')];
  assert.deepEqual(
    withToast(shown, said(4, 'Restored.', 'flag Staging')).map(({ id }) => id),
    [1, 3, 4],
  );
});
