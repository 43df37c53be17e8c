/** Counting the audit log for the metrics: exact, whatever commits late, and without reading it all each time. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sql from 'sql-template-tag';
import { openStore } from '#store/open.ts';
import type { Store } from '#store/sql.ts';
import { countAuditEntries } from '../../src/telemetry/audit-entries.ts';
import { newDatabase } from '../support/databases.ts';

const anHour = 3_600_000;
let made = 0;

/** Entries of one instant. */
async function entries(store: Store, count: number, at: number): Promise<void> {
  made += 1;
  const word = `e${made}-`;
  await store.write((tx) =>
    tx.run(sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < cast(${count} as bigint))
      insert into changes (id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id,
                           object_name)
      select cast(${word} as text) || cast(n as text), cast(${at} as bigint), '', '', '', '', '', '', '', ''
        from numbers`),
  );
}

async function aStore() {
  const clock = { now: Date.now() };
  const statements = { count: 0 };
  const store = await openStore(await newDatabase(), () => clock.now);
  after(() => store.close());
  const one: Store['one'] = (query) => {
    statements.count += 1;
    return store.one(query);
  };
  return {
    store,
    clock,
    statements,
    db: { clock: () => clock.now, rowsPerTurn: store.rowsPerTurn, one, all: store.all.bind(store) },
  };
}

/** Until it knows. */
async function counted(count: () => Promise<number | undefined>): Promise<number> {
  for (;;) {
    const answer = await count();
    if (answer !== undefined) return answer;
  }
}

test('every entry is counted once, also those of one instant that fill more than a slice', async () => {
  const { store, clock, db } = await aStore();
  await entries(store, 12_345, clock.now - anHour);
  await entries(store, 10, clock.now - anHour + 1);
  await entries(store, 7, clock.now);
  const count = countAuditEntries(db);
  assert.equal(await counted(count), 12_362);
  assert.equal(await counted(count), 12_362);
});

test('an entry that commits after younger ones is counted, also when time has gone on', async () => {
  const { store, clock, db } = await aStore();
  const count = countAuditEntries(db);
  await entries(store, 3, clock.now);
  assert.equal(await counted(count), 3);
  await entries(store, 1, clock.now - 50_000);
  assert.equal(await counted(count), 4);
  clock.now += anHour;
  assert.equal(await counted(count), 4);
  await entries(store, 2, clock.now - 1_000);
  assert.equal(await counted(count), 6);
});

test('entries on both sides of the instant up to which is counted for good are counted once', async () => {
  const { store, clock, db } = await aStore();
  const count = countAuditEntries(db);
  for (const age of [60_001, 60_000, 59_999]) await entries(store, 1, clock.now - age);
  assert.equal(await counted(count), 3);
  assert.equal(await counted(count), 3);
  clock.now += 1;
  assert.equal(await counted(count), 3);
});

test('a clock that is set back counts nothing twice', async () => {
  const { store, clock, db } = await aStore();
  const count = countAuditEntries(db);
  await entries(store, 5, clock.now - anHour);
  assert.equal(await counted(count), 5);
  clock.now -= 2 * anHour;
  assert.equal(await counted(count), 5);
});

test('counted entries are not read again', async () => {
  const { store, clock, statements, db } = await aStore();
  await entries(store, 20_000, clock.now - anHour);
  const count = countAuditEntries(db);
  assert.equal(await counted(count), 20_000);
  assert.ok(statements.count > 4, 'in slices');
  statements.count = 0;
  assert.equal(await counted(count), 20_000);
  assert.equal(statements.count, 4, 'how many were removed, further slices, the rest of them, and the newest');
});
