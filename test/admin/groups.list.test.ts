/** The list of groups: its total is not counted each time, and its last pages are found from the end. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { v7 as newId } from 'uuid';
import { countGroups, deleteGroup, insertGroup, listGroups } from '#store/groups.ts';
import { openStore } from '#store/open.ts';
import { startApi } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';

const api = await startApi();
/** As another process has the database open. */
const other = await openStore(api.database);
after(() => other.close());

interface Listed {
  readonly id: string;
  readonly name: string;
}

const aGroup = async () => (await api.post('/groups', { name: uniqueName('group') })).body as Listed;
const pageOf = async (query = '') =>
  (await api.get(`/groups${query}`)).body as { objects: Listed[]; totalCount: number };
const total = async () => (await pageOf()).totalCount;

test('the total follows every group that is made or deleted, and stays when one is renamed or refused', async () => {
  const before = await total();
  const [first, second] = [await aGroup(), await aGroup()];
  assert.equal(await total(), before + 2);
  await api.put(`/groups/${first.id}`, { name: uniqueName('renamed') });
  assert.equal((await api.post('/groups', { name: second.name })).status, 409);
  assert.equal(await total(), before + 2);
  await api.delete(`/groups/${first.id}`);
  assert.equal(await total(), before + 1);
  // One goes and one comes: as many as before, but others.
  await api.delete(`/groups/${second.id}`);
  const third = await aGroup();
  const last = await pageOf(`?offset=${before}&limit=1`);
  assert.deepEqual([last.objects.map(({ id }) => id), last.totalCount], [[third.id], before + 1]);
});

test('the total follows groups that another process makes or deletes, at once', async () => {
  const before = await total();
  const group = { id: newId(), name: uniqueName('theirs'), description: '', type: 'group' as const };
  await other.write((tx) => insertGroup(tx, group));
  assert.equal(await total(), before + 1);
  assert.equal((await pageOf(`?offset=${before}`)).objects.at(-1)?.id, group.id);
  await other.write((tx) => deleteGroup(tx, group.id));
  assert.equal(await total(), before);
});

test('the total follows groups even if the clock stops or goes back', async () => {
  const before = await total();
  const now = Date.now();
  for (const [step, instant] of [now, now, now - 60_000].entries()) {
    api.clock.now = instant;
    await aGroup();
    assert.equal(await total(), before + step + 1);
  }
  api.clock.now = undefined;
});

test('a page at whatever offset is that part of the whole list, also of groups made at one instant', async () => {
  const before = await total();
  const made: string[] = [];
  for (let number = 0; number < 12; number += 1) {
    // In threes: within an instant the order is that of the ids.
    if (number % 3 === 0) api.clock.now = Date.now();
    made.push((await aGroup()).id);
  }
  api.clock.now = undefined;
  const whole = (await pageOf('?limit=200')).objects;
  assert.deepEqual(
    whole.slice(before).map(({ id }) => id),
    made,
  );
  for (let offset = 0; offset <= whole.length + 1; offset += 1) {
    for (const limit of [1, 2, 5, 50]) {
      const { objects, totalCount } = await pageOf(`?offset=${offset}&limit=${limit}`);
      assert.deepEqual(
        [objects, totalCount],
        [whole.slice(offset, offset + limit), whole.length],
        `${limit} behind ${offset}`,
      );
    }
  }
});

test('a page of the second half is the same while groups are made behind it, here or by another process', async () => {
  for (let number = 0; number < 4; number += 1) await aGroup();
  const counted = await countGroups(other);
  const page = () => listGroups(other, { offset: counted.total - 3, limit: 2 }, counted);
  const before = await page();
  await aGroup();
  assert.deepEqual(await page(), before);
  assert.equal(before.length, 2);
});
