import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CleanupFlag } from '#domain/cleanup.ts';
import {
  callsInWords,
  notesOf,
  shortLength,
  startOf,
  whereInWords,
} from '../../web/src/features/flags/cleanup-words.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 10, 16);

const flag = (part: Partial<CleanupFlag>): CleanupFlag => ({
  id: 'f',
  name: 'old',
  group: 'safe',
  creationTime: now - 400 * day,
  rolloutStatus: { id: 's', name: '100% Released' },
  owners: [],
  killedIn: [],
  definedIn: [],
  isSilent: false,
  unknownSegments: [],
  pastDates: [],
  codeReferences: 0,
  ...part,
});

test('a length is told in days up to two months, then in months', () => {
  assert.deepEqual([-1, 0, 60 * day, 61 * day, 427 * day].map(shortLength), ['0 d', '0 d', '60 d', '2 mo', '14 mo']);
});

test('a flag that no SDK reports is not said to be uncalled', () => {
  const calls = (part: Partial<CleanupFlag>) => callsInWords(flag(part), now);
  const perDay = (...counts: number[]) => ({
    lastTrafficReceivedAt: now - day / 2,
    calls: { perDay: counts, treatments: [] },
  });
  assert.equal(calls({}), 'Never called');
  assert.equal(calls({ isSilent: true }), 'SDKs do not report it');
  assert.equal(calls({ lastTrafficReceivedAt: now - 38 * day }), 'No calls for 38 days');
  assert.equal(calls(perDay(0, 84_000, 5)), '84,000 calls yesterday');
  assert.equal(calls(perDay(0, 1_234_567, 5)), '1.2M calls yesterday');
  assert.equal(calls(perDay(9, 0, 1)), '1 call today');
  assert.equal(calls(perDay(9, 0, 0)), 'Last call today');
});

test('the evidence names code, askers, lost segments, past dates and who keeps the flag', () => {
  const notes = notesOf(
    flag({
      askers: [{ sdk: 'nodejs-11', machine: 'checkout-api', lastAt: now }],
      codeReferences: 2,
      unknownSegments: ['gone'],
      pastDates: [{ attribute: 'signup', date: now }],
      keep: { keptAt: now, keptBy: 'ana@example.org', until: now, note: 'December' },
    }),
  );
  assert.deepEqual(notes, [
    'Last from checkout-api (nodejs-11)',
    'Code names it 2 times',
    'Names the segment gone, which does not exist',
    'A rule compares signup with 16 Nov 2026',
    'Kept by ana@example.org until 16 Nov 2026: December',
  ]);
});

test('a flag is counted from its kill only among the killed', () => {
  const times = { killedSince: 3, treatmentSince: 2, creationTime: 1 };
  assert.equal(startOf(flag({ ...times, group: 'killed' })), 3);
  assert.equal(startOf(flag(times)), 2);
  assert.equal(startOf(flag({ creationTime: 1 })), 1);
});

test('one environment that decides is named, several are counted', () => {
  const [a, b] = [
    { id: 'a', name: 'Production' },
    { id: 'b', name: 'Europe' },
  ];
  assert.equal(whereInWords(flag({ definedIn: [a] }), [a]), 'in Production');
  assert.equal(whereInWords(flag({ definedIn: [a] }), [a, b]), 'in 1 of 2 environments');
});
