/** An object is read as of one moment, even if another node changes it between two statements. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFlag } from '#store/flags.ts';
import { findProjectAccess } from '#store/restrictions.ts';
import type { Reader } from '#store/sql.ts';
import { findUser } from '#store/users.ts';
import { startApi } from '../support/app.ts';
import { aFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();
const project = await aProject(api);

/** Reads while someone else makes a change after the first statement; also returns what it was before and after. */
async function readAround<Thing>(read: (db: Reader) => Promise<Thing>, change: () => Promise<{ status: number }>) {
  let isChanged = false;
  const changing = async <Rows>(rows: Promise<Rows>): Promise<Rows> => {
    const found = await rows;
    if (!isChanged) assert.equal((await change()).status, 200);
    isChanged = true;
    return found;
  };
  const before = await read(api.store);
  const meanwhile = await read({
    clock: () => api.store.clock(),
    rowsPerTurn: api.store.rowsPerTurn,
    one: (query) => changing(api.store.one(query)),
    all: (query) => changing(api.store.all(query)),
  });
  const after = await read(api.store);
  assert.notDeepEqual(before, after);
  return { before, meanwhile };
}

test('a flag has the tags that belong to its ETag', async () => {
  const flag = await aFlag(api, project);
  const { before, meanwhile } = await readAround(
    (db) => findFlag(db, project.id, flag.name),
    () => api.post(`/tags/ws/${project.id}/object/${flag.name}/objecttype/Split`, ['new']),
  );
  assert.deepEqual(meanwhile, before);
});

test('a user has the groups that belong to the name', async () => {
  const { body: group } = await api.post('/groups', { name: uniqueName('group') });
  const { body: user } = await api.post('/users', { email: `${uniqueName('user')}@example.com` });
  const { before, meanwhile } = await readAround(
    (db) => findUser(db, user.id, { kind: 'account' }),
    () =>
      api.patch(`/users/${user.id}`, [
        { op: 'replace', path: '/name', value: 'Renamed' },
        { op: 'add', path: '/groups/-', value: { id: group.id, type: 'group' } },
      ]),
  );
  assert.deepEqual(meanwhile, before);
});

test('a project is restricted to those who are listed', async () => {
  const { body: groups } = await api.get('/groups');
  const view = groups.objects.map(({ id }: { id: string }) => ({ id, type: 'group' }));
  const { before, meanwhile } = await readAround(
    (db) => findProjectAccess(db, project.id),
    () =>
      api.put('/restrictions', {
        resource: { id: project.id, type: 'workspace' },
        operations: { view: true },
        resourcePermissions: { view },
      }),
  );
  assert.deepEqual(meanwhile, before);
});
