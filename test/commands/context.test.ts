import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { contextFor, type Entry, type RecordingTx, write } from '#commands/context.ts';
import { createGroupIn, replaceGroupIn } from '#commands/groups.ts';
import { createProjectIn } from '#commands/projects.ts';
import { permissionsOf } from '#domain/access.ts';
import { Problem } from '#domain/problems.ts';
import { findChanges, listChanges } from '#store/changes.ts';
import { insertGroup } from '#store/groups.ts';
import { definitionTag } from '#store/sql.ts';
import { uniqueName } from '../support/build.ts';
import { onPostgres } from '../support/databases.ts';
import { temporaryStore } from '../support/store.ts';

const store = await temporaryStore();
const actor = {
  type: 'operator',
  id: 'ada',
  name: 'Ada',
  permissions: permissionsOf(['API_ALL_GRANTED']),
  scope: { kind: 'account' },
} as const;
const context = contextFor(store, { actor, transactionId: 'a-transaction' });

const entry = (id: string, action: Entry['action'] = 'group.created'): Entry => ({
  action,
  object: { type: 'group', id, name: id },
  after: { name: id },
});
const insert = (tx: RecordingTx, id: string) => insertGroup(tx, { id, name: id, description: '', type: 'group' });

const createNamed = (tx: RecordingTx, name: string) => createGroupIn(tx, { name, description: '' });

const hasGroup = async (id: string) => (await store.one(sql`select 1 from groups where id = ${id}`)) !== undefined;
const entriesOf = async (objectId: string) => {
  const places = await listChanges(store, {
    scope: { kind: 'account' },
    projectId: undefined,
    environmentId: undefined,
    objectType: undefined,
    objectId,
    actorId: undefined,
    search: undefined,
    from: undefined,
    to: undefined,
    after: undefined,
    before: undefined,
    offset: 0,
    limit: 10,
  });
  const ids = places.items.map(({ id }) => id);
  return findChanges(store, ids, { kind: 'account' });
};

async function leavesNothing(id: string): Promise<void> {
  assert.equal(await hasGroup(id), false);
  assert.deepEqual(await entriesOf(id), []);
}

test('a change and its one entry are kept together, with who made it and in which request', async () => {
  const id = uniqueName('group');
  const result = await write(context, async (tx) => {
    await insert(tx, id);
    await tx.record({ ...entry(id), note: { title: 'Why', comment: 'Because' } });
    return 'done';
  });
  assert.equal(result, 'done');
  assert.equal(await hasGroup(id), true);
  const [change, ...more] = await entriesOf(id);
  assert.deepEqual(more, []);
  assert.deepEqual(change, {
    id: change?.id,
    type: 'audit_log',
    auditLogType: 'group.created',
    object: { type: 'group', id, name: id },
    editor: { type: 'operator', id: 'ada', name: 'Ada' },
    createdAt: change?.createdAt,
    title: 'Why',
    comment: 'Because',
    after: { name: id },
    transactionId: 'a-transaction',
  });
});

test('a transaction that writes and does not record is rolled back', async () => {
  const id = uniqueName('group');
  await assert.rejects(
    write(context, (tx) => insert(tx, id)),
    { message: 'a command changed something without recording it' },
  );
  await leavesNothing(id);
});

test('a transaction that touches several objects has an entry for each, with the id of the request', async () => {
  const [one, other] = [uniqueName('group'), uniqueName('group')];
  await write(context, async (tx) => {
    for (const id of [one, other]) {
      await insert(tx, id);
      await tx.record(entry(id));
    }
  });
  for (const id of [one, other]) {
    const entries = await entriesOf(id);
    assert.deepEqual(
      entries.map(({ auditLogType, transactionId }) => [auditLogType, transactionId]),
      [['group.created', 'a-transaction']],
    );
  }
});

test('a command that changes nothing is rolled back, leaves no entry, announces nothing, and answers what is stored', async () => {
  const id = uniqueName('group');
  const heard: unknown[] = [];
  store.onCommit({
    onNotice: (received) => received.kind !== 'missed' && heard.push(received),
    failed: assert.ifError,
  });
  const version = store.version('keys-and-paths');
  const result = await write(context, async (tx) => {
    await insert(tx, id);
    tx.announce({ kind: 'outbox' });
    return tx.unchanged('as it was');
  });
  assert.equal(result, 'as it was');
  await leavesNothing(id);
  assert.deepEqual(heard, []);
  assert.equal(store.version('keys-and-paths'), version, 'cached responses stay current');
});

test('beside other changes, one that changes nothing records nothing and does not undo them', async () => {
  const [changed, same] = [uniqueName('group'), uniqueName('group')];
  const existing = await write(context, (tx) => createNamed(tx, same));
  const results = await write(context, async (tx) => [
    await createNamed(tx, changed),
    await replaceGroupIn(tx, existing.id, { description: '' }),
  ]);
  assert.deepEqual(
    results.map(({ name }) => name),
    [changed, same],
  );
  for (const { id } of results) assert.equal((await entriesOf(id)).length, 1);
});

test('commands of several resources share a transaction: all or nothing, with one id', async () => {
  const [group, project] = [uniqueName('group'), uniqueName('project')];
  const both = (tx: RecordingTx) =>
    createNamed(tx, group).then(async (made) => [
      made,
      await createProjectIn(tx, { name: project, requiresTitleAndComments: false, environments: [] }, 'open'),
    ]);
  await assert.rejects(
    write(context, async (tx) => {
      await both(tx);
      throw new Problem('group_protected');
    }),
    { code: 'group_protected' },
  );
  const made = await write(context, both);
  for (const { id } of made) {
    const entries = await entriesOf(id);
    assert.deepEqual(
      entries.map(({ transactionId }) => transactionId),
      ['a-transaction'],
    );
  }
});

test('a change that is refused after it was recorded leaves no entry', async () => {
  const id = uniqueName('group');
  const refusal = new Problem('group_protected');
  const refused = write(context, async (tx) => {
    await insert(tx, id);
    await tx.record(entry(id));
    throw refusal;
  });
  await assert.rejects(refused, refusal);
  await leavesNothing(id);
});

const cached = { skip: onPostgres ? 'PostgreSQL numbers no commits, so nothing is cached' : false };

test(
  'a definition ends the cached responses about it alone, and all of them if something else changed',
  cached,
  async () => {
    const [own, other] = [definitionTag('environment', 'flag'), definitionTag('environment', 'another')];
    const recorded = async (entries: readonly Entry[]) => {
      const id = uniqueName('group');
      const before = [store.version(own), store.version(other)];
      await write(context, async (tx) => {
        await insert(tx, id);
        for (const each of entries) await tx.record({ ...entry(id), ...each });
      });
      return [store.version(own), store.version(other)].map((version, index) => version !== before[index]);
    };
    const definition = { ...entry('flag'), touches: own };
    assert.deepEqual(await recorded([definition]), [true, false]);
    assert.deepEqual(await recorded([definition, entry('group')]), [true, true]);
  },
);
