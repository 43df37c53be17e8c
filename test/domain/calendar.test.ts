import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysBetween } from '#domain/calendar.ts';

const hour = 3_600_000;
const at = (text: string) => Date.parse(text);

test('days are as long as the clocks of the time zone make them', () => {
  const lengths = (from: string, to: string, zone: string) =>
    daysBetween(at(from), at(to), zone, 10)?.map(({ name, start, end }) => [name, (end - start) / hour]);
  assert.deepEqual(lengths('2026-03-28T12:00Z', '2026-03-30T12:00Z', 'Europe/Berlin'), [
    ['2026-03-28', 24],
    ['2026-03-29', 23],
    ['2026-03-30', 24],
  ]);
  assert.deepEqual(lengths('2026-10-25T12:00Z', '2026-10-25T12:00Z', 'Europe/Berlin'), [['2026-10-25', 25]]);
  // Here clocks are put forward at midnight, so the day begins at one o'clock.
  assert.deepEqual(lengths('2026-03-28T12:00Z', '2026-03-29T12:00Z', 'Asia/Beirut'), [
    ['2026-03-28', 24],
    ['2026-03-29', 23],
  ]);
  assert.deepEqual(lengths('2026-06-01T00:00Z', '2026-06-01T00:00Z', 'Pacific/Kiritimati'), [['2026-06-01', 24]]);
});

test('each day ends where the next begins, and a year has as many as it should', () => {
  for (const zone of ['UTC', 'America/Santiago', 'Asia/Beirut', 'Asia/Kathmandu', 'Australia/Lord_Howe']) {
    const days = daysBetween(at('2026-01-01T12:00Z'), at('2026-12-31T12:00Z'), zone, 400) ?? [];
    assert.ok(days.length === 365 || days.length === 366, zone);
    for (const [index, { end }] of days.entries()) assert.equal(days[index + 1]?.start ?? end, end, zone);
  }
});

test('it stops after as many days as asked, and knows no time zone of that name', () => {
  assert.equal(daysBetween(0, at('2026-01-01'), 'UTC', 5)?.length, 5);
  assert.equal(daysBetween(0, 0, 'Mars/Base', 5), undefined);
});
