import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { v7 as newId } from 'uuid';
import type { User } from '#domain/users.ts';
import { markersFor } from '#http/paging/markers.ts';
import { findAccount } from '#store/account.ts';
import type { Tx } from '#store/sql.ts';
import { deleteUser, insertUser } from '#store/users.ts';
import { refused, startApi } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';

const api = await startApi();
const account = await findAccount(api.store);
assert.ok(account);

const aGroupId = async (): Promise<string> => (await api.post('/groups', { name: uniqueName('group') })).body.id;

/** Instants of invitation: they never go back, and three users in a row share one. */
let invited = 0;
const nextInstant = () => 1_700_000_000_000 + Math.floor(invited++ / 3);

/** Users of the group, invited one after the other. */
async function someUsers(groupId: string, count: number, fields: Partial<User> = {}): Promise<string[]> {
  const users = Array.from({ length: count }, (): User => {
    const email = `${uniqueName('user')}@example.com`;
    const createdAt = nextInstant();
    const person = { id: newId(), name: 'Ann', email, twoFactor: false, groupIds: [groupId], createdAt };
    return { ...person, status: 'PENDING', ...fields };
  });
  await api.store.write(async (tx) => {
    for (const user of users) await insertUser(tx, user);
  });
  return users.map((user) => user.id);
}

async function deleteAll(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const id of ids) await deleteUser(tx, id);
}

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly nextMarker: string | null;
  readonly previousMarker: string | null;
  readonly limit: number;
  readonly count: number;
}

/** A page of the users of the group; each test has a group of its own. */
async function pageOf(groupId: string, query: Record<string, string | number> = {}): Promise<Page> {
  const words = new URLSearchParams({ group_id: groupId, ...query } as Record<string, string>);
  const answer = await api.get(`/users?${words}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const idsOf = (page: Page) => page.data.map((user) => user.id);

test('a page has 20 users unless asked otherwise, and never more than 200: the lowered limit is echoed', async () => {
  const group = await aGroupId();
  const ids = await someUsers(group, 205);
  for (const [query, limit] of [
    [{}, 20],
    [{ limit: 1 }, 1],
    [{ limit: 200 }, 200],
    [{ limit: 201 }, 200],
    [{ limit: 999_999_999_999 }, 200],
  ] as const) {
    const page = await pageOf(group, query);
    assert.deepEqual(Object.keys(page), ['data', 'nextMarker', 'previousMarker', 'limit', 'count']);
    assert.deepEqual([page.limit, page.count, idsOf(page)], [limit, limit, ids.slice(0, limit)]);
  }
});

test('a large group is paged like a small one', async () => {
  const [group, other] = [await aGroupId(), await aGroupId()];
  const first = await someUsers(group, 1);
  await someUsers(other, 5);
  const ids = [...first, ...(await someUsers(group, 1_000))];
  const page = await pageOf(group, { limit: 200 });
  assert.deepEqual(idsOf(page), ids.slice(0, 200));
  const next = await pageOf(group, { limit: 200, after: page.nextMarker ?? '' });
  assert.deepEqual(idsOf(next), ids.slice(200, 400));
});

test('a limit that is not a whole number of the right size is refused', async () => {
  for (const limit of ['0', '-1', 'x', '1.5', '', '1&limit=2']) {
    refused(await api.get(`/users?limit=${limit}`), 400, /^limit/);
  }
});

test('users come in the order of their invitation, then of their id', async () => {
  const group = await aGroupId();
  const made: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const email = `${uniqueName('user')}@example.com`;
    made.push((await api.post('/users', { email, groups: [group] })).body.id);
  }
  assert.deepEqual(idsOf(await pageOf(group)), made);
});

test('both markers are null exactly on the last page, whatever its size', async () => {
  for (const count of [0, 1, 2, 3, 4, 5]) {
    const group = await aGroupId();
    const ids = await someUsers(group, count);
    const pages = [await pageOf(group, { limit: 2 })];
    for (let next = pages[0]?.nextMarker; next; next = pages.at(-1)?.nextMarker) {
      pages.push(await pageOf(group, { limit: 2, after: next }));
      assert.ok(pages.length < 100, 'the walk ends');
    }
    assert.equal(pages.length, Math.max(1, Math.ceil(count / 2)));
    assert.deepEqual(pages.flatMap(idsOf), ids);
    pages.forEach((page, index) => {
      const isLast = index === pages.length - 1;
      assert.deepEqual([page.nextMarker === null, page.previousMarker === null], [isLast, isLast]);
      assert.equal(page.count, page.data.length);
    });
  }
});

test('before=previousMarker answers the page before', async () => {
  const group = await aGroupId();
  const ids = await someUsers(group, 7);
  const first = await pageOf(group, { limit: 2 });
  const second = await pageOf(group, { limit: 2, after: first.nextMarker ?? '' });
  const third = await pageOf(group, { limit: 2, after: second.nextMarker ?? '' });
  assert.deepEqual(idsOf(third), ids.slice(4, 6));
  const backToSecond = await pageOf(group, { limit: 2, before: third.previousMarker ?? '' });
  assert.deepEqual(backToSecond, second);
  assert.deepEqual(await pageOf(group, { limit: 2, before: backToSecond.previousMarker ?? '' }), first);
  assert.deepEqual(idsOf(await pageOf(group, { limit: 3, before: third.previousMarker ?? '' })), ids.slice(1, 4));
  assert.deepEqual(idsOf(await pageOf(group, { limit: 2, before: first.previousMarker ?? '' })), []);
});

test('a marker is base64url without padding and outlives the users around it', async () => {
  const group = await aGroupId();
  const ids = await someUsers(group, 6);
  const { nextMarker, previousMarker } = await pageOf(group, { limit: 3 });
  assert.match(nextMarker ?? '', /^[\w-]+$/);
  assert.match(previousMarker ?? '', /^[\w-]+$/);
  await api.store.write((tx) => deleteAll(tx, [ids[0], ids[2], ids[3]] as string[]));
  assert.deepEqual(idsOf(await pageOf(group, { after: nextMarker ?? '' })), ids.slice(4));
  assert.deepEqual(idsOf(await pageOf(group, { before: nextMarker ?? '' })), [ids[1]]);
  assert.deepEqual(idsOf(await pageOf(group, { after: previousMarker ?? '' })), [ids[1], ids[4], ids[5]]);
});

test('a marker that was not made here for this list is refused', async () => {
  const group = await aGroupId();
  await someUsers(group, 2);
  const marker = (await pageOf(group, { limit: 1 })).nextMarker ?? '';
  const text = Buffer.from(marker, 'base64url').toString();
  const encoded = (value: string) => Buffer.from(value).toString('base64url');
  const place = { at: Date.now(), id: newId() };
  const flipped = [...marker].map((character, index) => {
    const other = character === 'A' ? 'B' : 'A';
    return marker.slice(0, index) + other + marker.slice(index + 1);
  });
  const otherList = (await api.get('/auditLogs?limit=1')).body.nextMarker as string;
  const foreign = [
    ...['', 'x', '!!!', 'null', '0', `${marker}=`, `${marker}A`, ` ${marker}`, marker.slice(1), marker.slice(0, -1)],
    ...flipped,
    ...[text, encoded(`${text} `), encoded(text.replace(/\d/, '9')), encoded('next__1__x')],
    markersFor('users', 'the secret of another server').write(place),
    markersFor('changes', account.markerSecret).write(place),
    otherList,
  ];
  for (const wrong of foreign) {
    for (const direction of ['after', 'before']) {
      const answer = await api.get(`/users?${new URLSearchParams({ [direction]: wrong })}`);
      refused(answer, 400, 'Unknown marker: send a marker exactly as this list returned it');
    }
  }
  const genuine = markersFor('users', account.markerSecret).write(place);
  assert.equal((await api.get(`/users?after=${genuine}`)).status, 200);
  refused(
    await api.get(`/auditLogs?after=${marker}`),
    400,
    'Unknown marker: send a marker exactly as this list returned it',
  );
});

test('one direction at a time', async () => {
  const group = await aGroupId();
  await someUsers(group, 2);
  const { nextMarker } = await pageOf(group, { limit: 1 });
  refused(await api.get(`/users?after=${nextMarker}&before=${nextMarker}`), 400, /after and before/);
  refused(await api.get(`/users?after=${nextMarker}&after=${nextMarker}`), 400, /^after /);
});

test('status and group_id narrow the list, also both together; an unknown group is an empty page', async () => {
  const [group, other] = [await aGroupId(), await aGroupId()];
  const ids: Record<string, string[]> = {};
  for (const status of ['ACTIVE', 'PENDING', 'DEACTIVATED'] as const) {
    ids[status] = await someUsers(group, 2, { status });
    await someUsers(other, 1, { status });
  }
  for (const [status, expected] of Object.entries(ids)) {
    assert.deepEqual(idsOf(await pageOf(group, { status })), expected);
    const all = (await api.get(`/users?status=${status}&limit=200`)).body.data;
    assert.ok(all.every((user: { status: string }) => user.status === status));
  }
  assert.equal((await pageOf(group)).count, 6, 'without a status all three are listed');
  const empty = { data: [], nextMarker: null, previousMarker: null, limit: 20, count: 0 };
  assert.deepEqual(await pageOf('no-such-group'), empty);
  for (const status of ['active', 'GONE', '', 'ACTIVE&status=PENDING']) {
    refused(await api.get(`/users?status=${status}`), 400, /^status /);
  }
});

/** How a client decides that there is another page: rule 3 of the specification, or what every known client does. */
const walks = {
  'until previousMarker is null': (page: Page) => page.previousMarker !== null,
  'until nextMarker is null': (page: Page) => page.nextMarker !== null,
};

const gap = fc.record({ add: fc.nat({ max: 2 }), remove: fc.array(fc.nat({ max: 40 }), { maxLength: 3 }) });

for (const [rule, goesOn] of Object.entries(walks)) {
  test(`a walk ${rule} sees every user who was there throughout exactly once, in order`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(gap, { maxLength: 8 }),
        async (count, limit, gaps) => {
          const group = await aGroupId();
          const everybody = await someUsers(group, count);
          const gone = new Set<string>();
          const seen: string[] = [];
          let page = await pageOf(group, { limit });
          seen.push(...idsOf(page));
          for (let step = 0; goesOn(page); step += 1) {
            assert.ok(step < 100, 'the walk ends');
            const { add, remove } = gaps[step] ?? { add: 0, remove: [] };
            everybody.push(...(await someUsers(group, add)));
            const leaving = remove.map((place) => everybody[place % everybody.length] as string);
            for (const id of leaving) gone.add(id);
            if (leaving.length > 0) await api.store.write((tx) => deleteAll(tx, leaving));
            page = await pageOf(group, { limit, after: page.nextMarker ?? '' });
            seen.push(...idsOf(page));
          }
          const stayed = everybody.slice(0, count).filter((id) => !gone.has(id));
          assert.deepEqual(
            seen,
            everybody.filter((id) => seen.includes(id)),
            'in order, nobody twice',
          );
          assert.deepEqual(
            stayed.filter((id) => !seen.includes(id)),
            [],
            'nobody is missed',
          );
        },
      ),
      { numRuns: 60 },
    );
  });
}

test('an offset leads to every user once, until a short page; a marker takes precedence', async () => {
  const group = await aGroupId();
  const ids = await someUsers(group, 7);
  const walked: string[] = [];
  for (let offset = 0; ; offset += 3) {
    const page = await pageOf(group, { limit: 3, offset });
    walked.push(...idsOf(page));
    assert.equal(page.nextMarker === null, offset + 3 >= 7);
    if (page.count < 3) break;
  }
  assert.deepEqual(walked, ids);
  assert.deepEqual(idsOf(await pageOf(group, { offset: 7 })), []);
  const { nextMarker } = await pageOf(group, { limit: 3, offset: 2 });
  assert.deepEqual(idsOf(await pageOf(group, { limit: 2, after: nextMarker ?? '', offset: 5 })), ids.slice(5, 7));
  assert.deepEqual(idsOf(await pageOf(group, { limit: 2, before: nextMarker ?? '', offset: 5 })), ids.slice(2, 4));
});

test('an offset that would pass over too much is refused, and so is what is no whole number', async () => {
  assert.equal((await api.get('/users?offset=10000')).status, 200);
  refused(
    await api.get('/users?offset=10001'),
    400,
    'offset must not be more than 10000; send nextMarker as after instead',
  );
  for (const offset of ['-1', 'x', '1.5', '']) refused(await api.get(`/users?offset=${offset}`), 400, /^offset/);
});
