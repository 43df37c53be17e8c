/** What both drivers do. What only one does is in the file with its name. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import sql, { bulk, raw } from 'sql-template-tag';
import { decodeNotice, encodeNotice, type Received } from '#store/notices.ts';
import { openPostgres } from '#store/postgres/store.ts';
import { type Store, type Tx, UniqueViolation } from '#store/sql.ts';
import { openSqlite } from '#store/sqlite/store.ts';
import { uniqueName } from '../support/build.ts';
import { newDatabase, onPostgres } from '../support/databases.ts';
import { temporaryStore } from '../support/store.ts';

let now = 0;
const { databaseUrl } = await newDatabase({ empty: true });
const store = onPostgres
  ? await openPostgres({ url: databaseUrl, poolSize: 5, clock: () => now })
  : openSqlite(databaseUrl.slice('file:'.length), () => now);
after(() => store.close());

await store.changeSchema(async (tx) => {
  for (const statement of [
    'create table things (id text primary key, name text, place text, position bigint, yes boolean)',
    'create unique index things_name_key on things (name)',
    'create unique index things_place_key on things (place, position)',
    'create table parts (id text primary key, thing_id text not null references things (id))',
  ]) {
    await tx.define(statement);
  }
});

const insert = (tx: Tx, id: string) => tx.run(sql`insert into things (id) values (${id})`);
const find = (db: Pick<Store, 'one'>, id: string) =>
  db.one<{ id: string }>(sql`select id from things where id = ${id}`);

/** A promise that the test resolves. */
function gate(): { passed: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

test('a transaction that fails leaves nothing', async () => {
  const id = uniqueName();
  const failed = store.write(async (tx) => {
    await insert(tx, id);
    assert.ok(await find(tx, id), 'it sees its own rows');
    throw new Error('on second thought');
  });
  await assert.rejects(failed, { message: 'on second thought' });
  assert.equal(await find(store, id), undefined);
});

test('a statement that fails takes the whole transaction along', async () => {
  const id = uniqueName();
  await assert.rejects(
    store.write(async (tx) => {
      await insert(tx, id);
      await insert(tx, id);
    }),
    UniqueViolation,
  );
  assert.equal(await find(store, id), undefined);
});

test('nobody sees the rows of a transaction that is still open', async () => {
  const id = uniqueName();
  const inserted = gate();
  const mayCommit = gate();
  const written = store.write(async (tx) => {
    await insert(tx, id);
    inserted.open();
    await mayCommit.passed;
  });
  await inserted.passed;
  const seen = await find(store, id);
  mayCommit.open();
  await written;
  assert.equal(seen, undefined);
  assert.deepEqual({ ...(await find(store, id)) }, { id });
});

test('everything written in a transaction has the instant at which it began', async () => {
  now = 1_000;
  const instants = await store.write(async (tx) => {
    const began = tx.now;
    now = 2_000;
    await turn();
    return [began, tx.now];
  });
  assert.deepEqual(instants, [1_000, 1_000]);
});

for (const { rule, columns, values, index } of [
  { rule: 'of one column', columns: 'name', values: ['same'], index: 'things_name_key' },
  { rule: 'of several columns', columns: 'place, position', values: ['here', 7], index: 'things_place_key' },
]) {
  test(`a write that breaks a unique rule ${rule} names the rule's index`, async () => {
    const insertSame = (tx: Tx) =>
      tx.run(sql`insert into things (id, ${raw(columns)}) values ${bulk([[uniqueName(), ...values]])}`);
    await store.write(insertSame);
    await assert.rejects(store.write(insertSame), (error) => {
      assert.ok(error instanceof UniqueViolation);
      assert.equal(error.constraint, index);
      return true;
    });
  });
}

test('a reference to a missing row is refused, and not as a unique violation', async () => {
  await assert.rejects(
    store.write((tx) => tx.run(sql`insert into parts (id, thing_id) values ('part', 'nowhere')`)),
    (error) => !(error instanceof UniqueViolation) && /foreign key/i.test((error as Error).message),
  );
});

for (const integer of [
  0,
  1,
  -1,
  2 ** 31,
  2 ** 32,
  1_700_000_000_000,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
]) {
  test(`the integer ${integer} comes back as it was`, async () => {
    const id = uniqueName();
    await store.write((tx) => tx.run(sql`insert into things (id, position) values (${id}, ${integer})`));
    const found = await store.one<{ position: number }>(sql`select position from things where position = ${integer}`);
    assert.equal(found?.position, integer);
  });
}

for (const yes of [true, false]) {
  test(`${yes} comes back as ${yes}, and is found as such`, async () => {
    const id = uniqueName();
    await store.write((tx) => tx.run(sql`insert into things (id, yes) values (${id}, ${yes})`));
    const row = await store.one<{ yes: unknown }>(sql`
      select yes from things where id = ${id} and yes = ${yes} and yes = ${raw(String(yes))}`);
    assert.equal(Boolean(row?.yes), yes);
    assert.ok(row);
  });
}

test('null comes back as null', async () => {
  const id = uniqueName();
  await store.write((tx) => tx.run(sql`insert into things (id, name) values (${id}, ${null})`));
  const row = await store.one<{ name: null }>(sql`select name from things where id = ${id}`);
  assert.equal(row?.name, null);
});

test('a value is never part of the text of a statement', async () => {
  const id = "'; drop table things; --";
  const query = sql`insert into things (id) values (${id})`;
  assert.deepEqual([query.sql, query.values], ['insert into things (id) values (?)', [id]]);
  await store.write((tx) => tx.run(query));
  assert.deepEqual({ ...(await find(store, id)) }, { id });
});

/** PostgreSQL listens once it reports that something may have been missed before. */
async function heardBy(own: Store): Promise<Received[]> {
  const heard: Received[] = [];
  const { promise: listens, resolve } = Promise.withResolvers<void>();
  own.onCommit({
    onNotice: (received) => {
      if (received.kind === 'missed') resolve();
      else heard.push(received);
    },
    failed: assert.ifError,
  });
  if (onPostgres) await listens;
  return heard;
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 10_000; waited += 10) await pause(10);
}

/** PostgreSQL repeats what a node itself announced. */
const withoutRepeats = (heard: readonly Received[]): Received[] =>
  heard.filter((received, index) => !isDeepStrictEqual(received, heard[index - 1]));

const changed = (environmentId: string) => ({ kind: 'definitions', environmentId, changeNumber: 1 }) as const;

test('a listener that throws is told so, and nobody else suffers', async () => {
  const fault = new Error('no');
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const throwing = ({ kind }: Received) => {
    if (kind === 'outbox') throw fault;
  };
  const own = await temporaryStore();
  own.onCommit({ onNotice: throwing, failed: resolve });
  const heard = await heardBy(own);
  await own.write(async (tx) => tx.announce({ kind: 'outbox' }));
  assert.equal(await promise, fault);
  await until(() => heard.length > 0);
  assert.deepEqual(withoutRepeats(heard), [{ kind: 'outbox' }]);
});

test('a notice of a kind that only a newer node knows is ignored, also when it carries a number', () => {
  assert.equal(decodeNotice('segments:one:9007199254740991'), undefined);
  assert.deepEqual(decodeNotice('definitions:one'), { kind: 'missed' });
  for (const notice of [{ kind: 'outbox' } as const, changed('one')]) {
    assert.deepEqual(decodeNotice(encodeNotice(notice)), notice);
  }
});

test('listeners hear of what a commit announced, after it, and never of a rollback', async () => {
  const heard = await heardBy(store);
  const announce = async (tx: Tx) => {
    tx.announce({ kind: 'outbox' });
    await insert(tx, uniqueName());
    tx.announce({ kind: 'outbox' });
  };
  await assert.rejects(
    store.write(async (tx) => {
      await announce(tx);
      throw new Error('no');
    }),
  );
  await store.write((tx) => insert(tx, uniqueName()));
  await store.write(announce);
  await until(() => heard.length > 0);
  await store.write(async (tx) => tx.announce(changed('one')));
  await until(() => withoutRepeats(heard).length > 1);
  assert.deepEqual(withoutRepeats(heard), [{ kind: 'outbox' }, changed('one')]);
});

test('a change is visible when its notice arrives', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const onNotice = (received: Received) => {
    if ('environmentId' in received && received.environmentId === 'there') resolve(find(store, 'there'));
  };
  store.onCommit({ onNotice, failed: assert.ifError });
  await store.write(async (tx) => {
    tx.announce(changed('there'));
    await insert(tx, 'there');
  });
  assert.deepEqual({ ...((await promise) as object) }, { id: 'there' });
});

test('text sorts and compares by its bytes', async () => {
  const names = ['b', 'a', 'B', 'A', 'ä', 'Z', '_', '-', '1', '\u{1F600}', '\uFFFD'];
  await store.write((tx) =>
    tx.run(sql`insert into things (id, place) values ${bulk(names.map((name) => [`sort ${name}`, name]))}`),
  );
  const rows = await store.all<{ place: string }>(sql`select place from things where id like 'sort %' order by place`);
  const byBytes = [...names].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  assert.deepEqual(
    rows.map(({ place }) => place),
    byBytes,
  );
  const lowered = await store.one<{ text: string }>(sql`select lower(place) as text from things where place = 'ä'`);
  assert.equal(lowered?.text, 'ä');
  const upper = sql`insert into things (id, place) values ('umlaut', 'ÄA')`;
  await store.write((tx) => tx.run(upper));
  const row = await store.one<{ text: string }>(sql`select lower(place) as text from things where id = 'umlaut'`);
  assert.equal(row?.text, 'Äa', 'only ASCII is lowered');
});
