import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteLimit, revertTitle } from '#domain/notes.ts';

test('the title of a revert has at most as many characters as a title can have, and no half of an emoji', () => {
  assert.equal(revertTitle('Ship it'), 'Revert: Ship it');
  assert.equal(revertTitle(''), 'Revert:');
  const fits = 'x'.repeat(noteLimit - 'Revert: '.length);
  assert.equal(revertTitle(fits), `Revert: ${fits}`);
  assert.equal(revertTitle(`${fits}y`), `Revert: ${fits}`);
  for (const emoji of ['🚀', '👩‍🚀']) assert.equal(revertTitle(`${fits.slice(1)}${emoji}`), `Revert: ${fits.slice(1)}`);
});
