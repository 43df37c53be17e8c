import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumInWords, sumOf } from '../../web/src/features/home/calendar-words.ts';

const day = (name: string, count: number, isPartial = false) => ({
  day: name,
  count,
  isPartial,
  production: 2,
  kills: 0,
});

test('changes of days are added up, with those in production', () => {
  const sum = sumOf([day('2026-11-15', 3), day('2026-11-16', 4)]);
  assert.equal(sumInWords(sum, 'in 30 days'), '7 changes in 30 days, 4 in production');
  assert.equal(sumInWords(sumOf([]), 'in 30 days'), '0 changes in 30 days, 0 in production');
});

test('a day that was counted in part makes the sum a minimum, without a number for production', () => {
  const sum = sumOf([day('2026-11-15', 3), day('2026-11-16', 201, true)]);
  assert.equal(sumInWords(sum, 'in 30 days'), 'At least 204 changes in 30 days');
  assert.equal(sumInWords(sumOf([day('2026-11-16', 201, true)])), 'At least 201 changes');
});
