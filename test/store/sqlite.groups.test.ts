/** Writes that wait are committed as a group. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import sql, { raw } from 'sql-template-tag';
import { encodeNotice, type Notice } from '#store/notices.ts';
import type { Tx } from '#store/sql.ts';
import { openSqlite } from '#store/sqlite/store.ts';
import { uniqueName } from '../support/build.ts';
import { temporaryFolder } from '../support/databases.ts';

const file = join(temporaryFolder(), 'test.db');
const store = openSqlite(file, Date.now);
const elsewhere = new DatabaseSync(file);
after(async () => {
  elsewhere.close();
  await store.close();
});

await store.write(async (tx) => {
  await tx.run(raw('create table things (id text primary key)'));
  await tx.run(raw('create table parts (thing_id text references things (id) deferrable initially deferred)'));
});

const insert = (tx: Tx, id: string) => tx.run(sql`insert into things (id) values (${id})`);
const names = (count: number) => Array.from({ length: count }, () => uniqueName());
/** What another process sees. */
const isThere = (id: string) => elsewhere.prepare('select 1 from things where id = ?').get(id) !== undefined;

/** How many of two that write at once another process sees when the first of them is answered. */
async function seenByTheFirst(): Promise<number> {
  const ids = names(2);
  const [seen = 0] = await Promise.all(
    ids.map(async (id) => {
      await store.write((tx) => insert(tx, id));
      return ids.filter(isThere).length;
    }),
  );
  return seen;
}

test('writes that came together are committed together', async () => {
  // A group ends after a few milliseconds, so a machine that is busy elsewhere may part two now and then.
  let seen = 0;
  for (let attempt = 0; attempt < 100 && seen < 2; attempt += 1) seen = await seenByTheFirst();
  assert.equal(seen, 2);
});

test('writes happen in the order in which they came', async () => {
  const ids = names(20);
  const order: string[] = [];
  await Promise.all(
    ids.map((id) =>
      store.write(async (tx) => {
        order.push(id);
        await insert(tx, id);
      }),
    ),
  );
  assert.deepEqual(order, ids);
  assert.equal(ids.every(isThere), true);
});

test('readers get their turn in the middle of a group', async () => {
  let rounds = 0;
  let isOver = false;
  const count = () => {
    rounds += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const ids = names(500);
  /** Of each the round of the event loop in which it is written, and whether the one before it is committed by then. */
  const written: { round: number; isParted: boolean }[] = [];
  await Promise.all(
    ids.map((id, at) =>
      store.write(async (tx) => {
        await insert(tx, id);
        written.push({ round: rounds, isParted: at > 0 && isThere(ids[at - 1] ?? '') });
      }),
    ),
  ).finally(() => {
    isOver = true;
  });
  assert.ok(written.some(({ round, isParted }, at) => !isParted && round > (written[at - 1]?.round ?? round)));
});

test('deferrable work waits until a group is fully written', async () => {
  assert.equal(store.afterWrites(), undefined, 'nothing is written');
  // A group takes several turns of half a millisecond. A busy machine may make it longer than what can wait waits.
  let isLast = false;
  for (let attempt = 0; attempt < 100 && !isLast; attempt += 1) isLast = await waitsForAll();
  assert.equal(isLast, true);
  assert.equal(store.afterWrites(), undefined);
});

/** Whether what can wait is done only after all of some writes that came together and took several turns. */
async function waitsForAll(): Promise<boolean> {
  const order: string[] = [];
  const turns = new Set<number>();
  let turn = 0;
  const count = () => {
    turn += 1;
    if (order.length < 60) setImmediate(count);
  };
  count();
  await Promise.all(
    names(60).map((id, at) =>
      store.write(async (tx) => {
        if (at === 0) void store.afterWrites()?.then(() => order.push('what can wait'));
        await insert(tx, id);
        turns.add(turn);
        order.push('written');
      }),
    ),
  );
  return turns.size > 1 && order.indexOf('what can wait') === 60;
}

test('deferrable work does not wait for a long transaction', async () => {
  let hasWaited = false;
  await store.write(async (tx) => {
    void store.afterWrites()?.then(() => {
      hasWaited = true;
    });
    // Many statements take several turns of the event loop.
    const until = performance.now() + 5_000;
    while (!hasWaited && performance.now() < until) await insert(tx, uniqueName());
  });
  assert.equal(hasWaited, true);
});

test('one that is refused leaves no trace, tells nobody, and costs the others nothing', async () => {
  const heard: string[] = [];
  store.onCommit({ onNotice: (received) => heard.push(encodeNotice(received as Notice)), failed: assert.ifError });
  for (const refused of [0, 1, 2]) {
    const ids = names(3);
    const settled = await Promise.allSettled(
      ids.map((id, at) =>
        store.write(async (tx) => {
          await insert(tx, id);
          tx.announce({ kind: 'definitions', environmentId: id, changeNumber: 1 });
          if (at === refused) throw new Error('no');
        }),
      ),
    );
    const kept = ids.map((_, at) => at !== refused);
    assert.deepEqual(
      settled.map(({ status }) => status === 'fulfilled'),
      kept,
    );
    assert.deepEqual(ids.map(isThere), kept);
    assert.deepEqual(
      heard.splice(0),
      ids.filter((_, at) => kept[at]).map((id) => `definitions:${id}:1`),
    );
  }
});

test('one sees what those before it in the group wrote', async () => {
  const [id = ''] = names(1);
  const settled = await Promise.allSettled([store.write((tx) => insert(tx, id)), store.write((tx) => insert(tx, id))]);
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
});

/** Two that write at once with a third whose reference is missed only at the commit. */
async function failingCommit() {
  const ids = names(2);
  const heard: string[] = [];
  store.onCommit({ onNotice: (received) => heard.push(encodeNotice(received as Notice)), failed: assert.ifError });
  const outcomes = await Promise.allSettled([
    ...ids.map((id) =>
      store.write(async (tx) => {
        await insert(tx, id);
        tx.announce({ kind: 'definitions', environmentId: id, changeNumber: 1 });
      }),
    ),
    store.write((tx) => tx.run(sql`insert into parts (thing_id) values ('nobody')`)),
  ]);
  const [isFirst, isSecond, isThird] = outcomes.map(({ status }) => status === 'fulfilled');
  assert.equal(isThird, false);
  assert.deepEqual(ids.map(isThere), [isFirst, isSecond]);
  const written = ids.filter((_, at) => outcomes[at]?.status === 'fulfilled');
  assert.deepEqual(
    heard.filter((notice) => ids.some((id) => notice.endsWith(id))),
    written.map((id) => `definitions:${id}:1`),
  );
  return written.length;
}

test('when the commit fails, nobody of the group is told that it was written, and nothing was', async () => {
  // As above: a busy machine may part them.
  let written = 2;
  for (let attempt = 0; attempt < 100 && written > 0; attempt += 1) written = await failingCommit();
  assert.equal(written, 0);
  const [next = ''] = names(1);
  await store.write((tx) => insert(tx, next));
  assert.equal(isThere(next), true);
});
