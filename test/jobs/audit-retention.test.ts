/** AUDIT_DAYS: what goes, what stays, and what the entries that stay still tell. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import type { Change } from '#domain/changes.ts';
import { startAuditRetention } from '#jobs/audit-retention.ts';
import { makeBackup } from '#operations/backup/backup.ts';
import { countAuditEntries } from '../../src/telemetry/audit-entries.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject, uniqueName } from '../support/build.ts';
import { onlySqlite } from '../support/databases.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const folder = mkdtempSync(join(tmpdir(), 'burgee-retention-'));
after(() => rmSync(folder, { recursive: true }));
const log = pino({ level: 'silent' });

const day = 24 * 60 * 60 * 1000;
const now = Date.now();
const daysAgo = (days: number) => {
  api.clock.now = now - days * day;
};

const checkedAt = async () =>
  (await api.store.one<{ at: number }>(sql`select audit_checked_at as at from account`))?.at ?? 0;

/** Goes through the log once, as of the given day. */
async function keepDays(days: number): Promise<void> {
  await api.store.write((tx) => tx.run(sql`update account set audit_checked_at = 0`));
  const job = startAuditRetention({ store: api.store, log, days, pauseMs: 0 });
  await until('the log was gone through', async () => (await checkedAt()) > 0);
  await job.stop();
}

async function logOf(objectId: string): Promise<Change[]> {
  return (await api.get(`/auditLogs?limit=200&objectId=${objectId}`)).body.data;
}
const typesOf = async (objectId: string) => (await logOf(objectId)).map(({ auditLogType }) => auditLogType);

daysAgo(100);
const project = await aProject(api);
const { flag, path } = await aDefinedFlag(api, project);
const untouched = await aDefinedFlag(api, project);
const gone = await aDefinedFlag(api, project);
const { body: group } = await api.post('/groups', { name: uniqueName('group') });
const nobody = { email: 'nobody@example.com', password: 'not the right password' };
const browser = { as: null, headers: { host: 'localhost', origin: 'http://localhost' } };
await api.post('/internal/account/session', nobody, browser);
daysAgo(90);
await api.put(path, aDefinition({ trafficAllocation: 1 }));
await api.put(`/groups/${group.id}`, { name: group.name, description: 'one' });
daysAgo(80);
await api.put(path, aDefinition({ trafficAllocation: 2 }));
await api.delete(`/splits/ws/${project.id}/${gone.flag.name}`);
daysAgo(5);
await api.put(path, aDefinition({ trafficAllocation: 3 }));
await api.delete(`/groups/${group.id}`);
daysAgo(0);

test('removing entries invalidates no cached response', onlySqlite, async () => {
  const other = await startApi();
  other.clock.now = now - 100 * day;
  const { body } = await other.post('/groups', { name: uniqueName('group') });
  await other.put(`/groups/${body.id}`, { name: body.name, description: 'new' });
  other.clock.now = now;
  const version = other.store.version();
  const removed = () => other.store.one<{ count: number }>(sql`select audit_removed as count from account`);
  const job = startAuditRetention({ store: other.store, log, days: 1, pauseMs: 0 });
  await until('entries were removed', async () => ((await removed())?.count ?? 0) > 0);
  await job.stop();
  assert.equal(other.store.version(), version);
});

test('old entries are deleted, and the newest state of what exists stays however old it is', async () => {
  const count = countAuditEntries(api.store);
  const total = (await count()) ?? assert.fail();
  const [before] = await logOf(flag.id);
  assert.deepEqual(await typesOf('unknown'), ['session.refused']);
  const [groupDeleted] = await logOf(group.id);
  await keepDays(30);
  // The flag itself was never changed: its creation is its newest state.
  assert.deepEqual(await typesOf(flag.id), ['definition.replaced', 'flag.created']);
  assert.deepEqual(await typesOf(untouched.flag.id), ['definition.created', 'flag.created']);
  assert.deepEqual(await typesOf(gone.flag.id), []);
  assert.deepEqual(await typesOf('unknown'), []);
  assert.deepEqual(await typesOf(project.id), ['workspace.created']);
  const [after] = await logOf(flag.id);
  assert.deepEqual(after, before, 'with what was before, though the entry that left it is gone');
  assert.deepEqual(await logOf(group.id), [groupDeleted]);
  // What is gone: two replacements and the creation of the definition, four of the flag that was deleted, two of the
  // group, the failed sign-in.
  assert.equal(await count(), total - 10);
});

test('later entries refer to remaining ones, and a backup has no gaps', async () => {
  const { path: old } = untouched;
  const { body: killed } = await api.put(`${old}/kill`);
  const [entry, created] = await logOf(untouched.flag.id);
  assert.deepEqual(entry?.before, created?.after);
  assert.deepEqual(entry?.after, { ...(entry?.after as object), ...killed });
  const facts = await makeBackup(api.database, { file: join(folder, 'afterwards.db') });
  assert.deepEqual([facts.troubles, facts.gaps], [[], []]);
});

test('an entry that another refers to is deleted only after its state was moved, in whatever order', async () => {
  daysAgo(70);
  const { body: chained } = await api.post('/groups', { name: uniqueName('group') });
  for (const days of [60, 50, 40, 1]) {
    daysAgo(days);
    await api.put(`/groups/${chained.id}`, { name: chained.name, description: `of ${days}` });
  }
  daysAgo(0);
  for (const [days, left] of [
    [65, ['of 1', 'of 40', 'of 50', 'of 60']],
    [45, ['of 1', 'of 40']],
    [30, ['of 1']],
    [1, ['of 1']],
  ] as const) {
    await keepDays(days);
    const entries = await logOf(chained.id);
    assert.deepEqual(
      entries.map(({ after }) => (after as { description: string }).description),
      left,
    );
    assert.ok(entries.every(({ before }) => before !== undefined));
  }
  const [last = assert.fail()] = await logOf(chained.id);
  assert.equal((last.before as { description: string }).description, 'of 40');
});

test('several hundred old entries go in one pass', async () => {
  await api.store.write((tx) =>
    tx.run(sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 333)
      insert into changes (id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id,
                           object_name)
      select 'many-' || cast(n as text), 1600000000000, '', 'anonymous', '', '', 'session.refused', 'user', 'many', ''
        from numbers`),
  );
  await keepDays(30);
  assert.deepEqual(await logOf('many'), []);
});

test('one of several nodes goes through the log, once an hour', async () => {
  const first = await checkedAt();
  const jobs = [1, 2].map(() => startAuditRetention({ store: api.store, log, days: 30, pauseMs: 0, checkMs: 1 }));
  api.clock.now = now + 3_600_001;
  await until('the next hour has come', async () => (await checkedAt()) > first);
  assert.equal(await checkedAt(), api.clock.now);
  await Promise.all(jobs.map((job) => job.stop()));
  // Somebody else is at it.
  api.clock.now = now + 3 * 3_600_000;
  const lease = api.clock.now + 60_000;
  await api.store.write((tx) => tx.run(sql`update account set audit_claimed_until = ${lease}`));
  const job = startAuditRetention({ store: api.store, log, days: 30, pauseMs: 0 });
  await job.stop();
  assert.equal(await checkedAt(), now + 3_600_001);
  daysAgo(0);
});
