/** Keys that people paste, or choose a file of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, readFile, readPasted, toCsv } from '../../web/src/features/segments/key-text.ts';

const read = (text: string, column = 0) => readFile(text, { column, ...columnsOf(text) });

test('two keys on one line are invalid, unless they are in quotes', () => {
  const file = read('user_id,plan\nuser-1,pro\nuser-2;user-3,pro\nuser-4\tuser-5,pro\n"user-6;user-7",pro\n');
  assert.deepEqual(file.keys, ['user-1', 'user-6;user-7']);
  assert.deepEqual(file.invalid, [
    { line: 3, text: 'user-2;user-3', why: 'Two keys on one line' },
    { line: 4, text: 'user-4\tuser-5', why: 'Two keys on one line' },
  ]);
  const pasted = readPasted('user-1, user-2\nuser-3; user-4');
  assert.deepEqual(pasted.keys, ['user-1', 'user-2']);
  assert.deepEqual(pasted.invalid, [{ line: 2, text: 'user-3; user-4', why: 'Two keys on one line' }]);
});

test('the columns of a file are separated as in its first line: by commas, semicolons or tabs', () => {
  for (const separator of [',', ';', '\t']) {
    const lines = [
      ['name', 'user_id', ''],
      ['Ana', '"user-1"', ''],
      ['', 'user-2', 'x'],
    ];
    const text = lines.map((line) => line.join(separator)).join('\n');
    assert.deepEqual(columnsOf(text).names, ['name', 'user_id', ''], separator);
    assert.deepEqual(read(text, 1), { keys: ['user-1', 'user-2'], repeated: 0, invalid: [] }, separator);
  }
});

test('a saved file has a key with a comma, a quote or a line break in quotes', () => {
  assert.equal(toCsv(['a', 'b,c', 'd"e', 'f\ng', 'h;i']), 'a\n"b,c"\n"d""e"\n"f\ng"\n"h;i"\n');
});
