import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { startBackups } from '#jobs/backups.ts';
import type { PeriodicJob } from '#jobs/periodic.ts';
import { makeBackup } from '#operations/backup/backup.ts';
import { examineBackup } from '#operations/backup/verify.ts';
import { openStore } from '#store/open.ts';
import { startApi } from '../support/app.ts';
import { temporaryFolder } from '../support/databases.ts';
import { until } from '../support/until.ts';

const minuteMs = 60_000;
const twoAtNight = 2 * 60 * minuteMs;

/** Nodes that look every few milliseconds, over one database and one folder, each with its own connections. */
async function startNights({ nodes = 1, keep = 3 } = {}) {
  const jobs: PeriodicJob[] = [];
  const stop = () => Promise.all(jobs.map((job) => job.stop()));
  // Before the hooks that close the stores: a job with a closed store tries it for eight seconds.
  after(stop);
  const api = await startApi();
  api.clock.now = Date.parse('2030-05-04T12:00:00Z');
  const folder = join(temporaryFolder(), 'backups');
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  /** How often each node has asked for the time. */
  const asked = Array.from({ length: nodes }, () => 0);
  const state = { fails: false, hangs: false };
  const make = async (file: string, signal: AbortSignal) => {
    if (state.hangs && !signal.aborted) await once(signal, 'abort');
    signal.throwIfAborted();
    if (state.fails) throw new Error('no space left on device');
    return makeBackup(api.database, { file });
  };
  for (let node = 0; node < nodes; node += 1) {
    const store = await openStore(api.database, () => {
      asked[node] = (asked[node] ?? 0) + 1;
      return api.clock.now ?? Date.now();
    });
    after(() => store.close());
    jobs.push(startBackups({ store, log, settings: { folder, at: twoAtNight, keep }, make, checkMs: 5 }));
  }
  return {
    api,
    folder,
    lines,
    state,
    stop,
    files: () => readdirSync(folder).sort(),
    /** Every node has looked whether one is due, and what it began is done: a look asks four times at the most. */
    settle: async () => {
      const wanted = asked.map((times) => times + 9);
      await until('the nodes have looked', () => asked.every((times, node) => times >= (wanted[node] ?? 0)));
    },
    at: (instant: string) => {
      api.clock.now = Date.parse(instant);
    },
  };
}

test('the first backup is made at the start, the next ones at their time each night, and only the newest are kept', async () => {
  const nights = await startNights({ keep: 2 });
  await nights.settle();
  const first = 'burgee-2030-05-04T120000Z.db';
  assert.deepEqual(nights.files(), [first]);
  nights.at('2030-05-05T01:59:59Z');
  await nights.settle();
  assert.deepEqual(nights.files(), [first]);
  nights.at('2030-05-05T02:00:00Z');
  await nights.settle();
  const second = 'burgee-2030-05-05T020000Z.db';
  assert.deepEqual(nights.files(), [first, second]);
  // Nothing ran for some nights: one is made for all of them.
  nights.at('2030-05-09T07:30:00Z');
  await nights.settle();
  const third = 'burgee-2030-05-09T073000Z.db';
  assert.deepEqual(nights.files(), [second, third]);
  for (const file of nights.files()) {
    assert.deepEqual((await examineBackup(join(nights.folder, file))).troubles, []);
  }
  assert.deepEqual(
    nights.lines.map(({ msg, removed }) => [msg, removed]),
    [
      ['backup made', []],
      ['backup made', []],
      ['backup made', [first]],
    ],
  );
});

test('one of several nodes makes the nightly backup', async () => {
  const nights = await startNights({ nodes: 3 });
  await nights.settle();
  assert.equal(nights.files().length, 1);
  nights.at('2030-05-05T02:00:00Z');
  await nights.settle();
  assert.equal(nights.files().length, 2);
  assert.equal(nights.lines.filter(({ msg }) => msg === 'backup made').length, 2);
});

test('a failure is an error in the log, is tried again ten minutes later, and costs no older backup', async () => {
  const nights = await startNights({ keep: 1 });
  await nights.settle();
  const [first] = nights.files();
  nights.state.fails = true;
  nights.at('2030-05-05T02:00:00Z');
  await nights.settle();
  nights.at('2030-05-05T02:09:59Z');
  await nights.settle();
  const failures = () => nights.lines.filter(({ level }) => level === 50);
  assert.deepEqual(
    failures().map(({ msg, err }) => [msg, (err as { message: string }).message]),
    [['the nightly backup failed; tried again in 10 minutes', 'no space left on device']],
  );
  assert.deepEqual(nights.files(), [first]);
  nights.state.fails = false;
  nights.at('2030-05-05T02:10:00Z');
  await nights.settle();
  assert.deepEqual(nights.files(), ['burgee-2030-05-05T021000Z.db']);
  assert.equal(failures().length, 1);
});

test('a stop ends the backup that is under way, which is no failure', async () => {
  const nights = await startNights();
  await nights.settle();
  nights.state.hangs = true;
  nights.at('2030-05-05T02:00:00Z');
  const claims = () => nights.api.store.all(sql`select id from account where backup_claimed_until > 0`);
  await until('it is under way', async () => (await claims()).length > 0);
  await nights.stop();
  assert.deepEqual(
    nights.lines.map(({ level, msg }) => [level, msg]),
    [
      [30, 'backup made'],
      [30, 'the nightly backup was interrupted by the stop; it will be made after the next start'],
    ],
  );
});

test('other files in the folder are left alone, and partial backups are removed', async () => {
  const nights = await startNights({ keep: 1 });
  await nights.settle();
  const others = ['burgee-before-the-move.db', 'notes.txt', 'notes.db.partial'];
  const brokenOff = 'burgee-2030-05-04T020000Z.db.partial';
  for (const name of [...others, brokenOff, `${brokenOff}-wal`]) writeFileSync(join(nights.folder, name), '');
  nights.at('2030-05-05T02:00:00Z');
  await nights.settle();
  assert.deepEqual(nights.files(), ['burgee-2030-05-05T020000Z.db', ...others].sort());
});
