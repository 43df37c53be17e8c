import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { completeFlagCounts, completeFlagTags, countFlags, listFlags } from '#store/flags.ts';
import { openStore } from '#store/open.ts';
import { refused, startApi } from '../support/app.ts';
import { aFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

const namesIn = ({ objects }: { objects: { name: string }[] }) => objects.map((flag) => flag.name);

async function aFlagWith(project: { id: string }, name: string, operations: unknown[]) {
  await aFlag(api, project, name);
  const { status, text } = await api.patch(`/splits/ws/${project.id}/${name}`, operations);
  assert.equal(status, 200, text);
}
const tagged = (project: { id: string }, name: string, tags: string[]) =>
  aFlagWith(project, name, [{ op: 'add', path: '/tags', value: tags }]);

test('the list has the flags as GET returns them', async () => {
  const project = await aProject(api);
  assert.deepEqual((await api.get(`/splits/ws/${project.id}`)).body, {
    objects: [],
    offset: 0,
    limit: 20,
    totalCount: 0,
  });
  await tagged(project, 'tagged', ['b', 'a']);
  await aFlag(api, project, 'bare');
  const objects = [];
  for (const name of ['tagged', 'bare']) objects.push((await api.get(`/splits/ws/${project.id}/${name}`)).body);
  const expected = JSON.stringify({ objects, offset: 0, limit: 20, totalCount: 2 });
  for (const word of [project.id, project.name, `${project.id}/`]) {
    assert.equal((await api.get(`/splits/ws/${word}`)).text, expected);
  }
});

test('a page has 20 flags unless asked otherwise, at most 50, in order of creation', async () => {
  const project = await aProject(api);
  const names = Array.from({ length: 52 }, (_, index) => `flag-${(index * 7) % 52}`);
  for (const name of names) await aFlag(api, project, name);
  const pages = [
    { query: '', offset: 0, limit: 20, found: names.slice(0, 20) },
    { query: '?offset=20', offset: 20, limit: 20, found: names.slice(20, 40) },
    { query: '?offset=40&limit=20', offset: 40, limit: 20, found: names.slice(40) },
    { query: '?limit=50', offset: 0, limit: 50, found: names.slice(0, 50) },
    { query: '?limit=51', offset: 0, limit: 50, found: names.slice(0, 50) },
    { query: '?limit=1000&offset=50', offset: 50, limit: 50, found: names.slice(50) },
    { query: '?limit=1&offset=51', offset: 51, limit: 1, found: names.slice(51) },
    { query: '?offset=52', offset: 52, limit: 20, found: [] },
    { query: '?offset=100000&limit=2', offset: 100_000, limit: 2, found: [] },
  ];
  for (const { query, offset, limit, found } of pages) {
    const { body } = await api.get(`/splits/ws/${project.id}${query}`);
    assert.deepEqual({ ...body, objects: namesIn(body) }, { objects: found, offset, limit, totalCount: 52 }, query);
  }
});

test('a limit or offset that is too small or not an integer is refused, and the error names it', async () => {
  const { id } = await aProject(api);
  for (const member of ['limit', 'offset']) {
    for (const value of ['-1', 'x', '1.5', '', `1&${member}=2`, member === 'limit' ? '0' : '-2']) {
      refused(await api.get(`/splits/ws/${id}?${member}=${value}`), 400, new RegExp(`^${member} `));
    }
  }
});

test('tag can be repeated and finds flags with any of the tags, case-sensitively', async () => {
  const project = await aProject(api);
  await tagged(project, 'red-one', ['red']);
  await tagged(project, 'blue-one', ['blue']);
  await tagged(project, 'both', ['blue', 'red']);
  await tagged(project, 'loud', ['RED', 'two words']);
  await aFlag(api, project, 'none');
  const table = [
    { query: 'tag=red', found: ['red-one', 'both'] },
    { query: 'tag=red&tag=blue', found: ['red-one', 'blue-one', 'both'] },
    { query: 'tag=red&tag=red', found: ['red-one', 'both'] },
    { query: 'tag=RED', found: ['loud'] },
    { query: 'tag=two+words', found: ['loud'] },
    { query: 'tag=two%20words&tag=absent', found: ['loud'] },
    { query: 'tag=re', found: [] },
    { query: 'tag=red&limit=1&offset=1', found: ['both'], totalCount: 2 },
  ];
  for (const { query, found, totalCount = found.length } of table) {
    const { body } = await api.get(`/splits/ws/${project.id}?${query}`);
    assert.deepEqual([namesIn(body), body.totalCount], [found, totalCount], query);
  }
});

test('name finds flags whose name contains the text, ignoring case and without wildcards', async () => {
  const project = await aProject(api);
  for (const name of ['checkout_new', 'old-Checkout', 'checkout.x', 'other']) await aFlag(api, project, name);
  const table = [
    { name: 'checkout', found: ['checkout_new', 'old-Checkout', 'checkout.x'] },
    { name: 'CHECKOUT', found: ['checkout_new', 'old-Checkout', 'checkout.x'] },
    { name: 'out_', found: ['checkout_new'] },
    { name: 'checkout.', found: ['checkout.x'] },
    { name: '%', found: [] },
    { name: '\\', found: [] },
    { name: "' or 1=1 --", found: [] },
  ];
  for (const { name, found } of table) {
    const { body } = await api.get(`/splits/ws/${project.id}?name=${encodeURIComponent(name)}`);
    assert.deepEqual([namesIn(body), body.totalCount], [found, found.length], name);
  }
});

test('rolloutStatus finds the flags with that status', async () => {
  const project = await aProject(api);
  const { body: statuses } = await api.get(`/rolloutStatuses?wsId=${project.id}`);
  const [preProduction, ramping, permanent] = [statuses[0].id, statuses[5].id, statuses[9].id];
  await aFlag(api, project, 'fresh');
  await aFlagWith(project, 'ramping', [{ op: 'replace', path: '/rolloutStatus/id', value: ramping }]);
  const table = [
    { id: preProduction, found: ['fresh'] },
    { id: ramping, found: ['ramping'] },
    { id: permanent, found: [] },
  ];
  for (const { id, found } of table) {
    const { body } = await api.get(`/splits/ws/${project.id}?rolloutStatus=${id}`);
    assert.deepEqual([namesIn(body), body.totalCount], [found, found.length]);
  }
});

test('filters are combined with AND', async () => {
  const project = await aProject(api);
  await tagged(project, 'red-apple', ['red']);
  await tagged(project, 'red-brick', ['red']);
  await tagged(project, 'green-apple', ['green']);
  const { body: statuses } = await api.get(`/rolloutStatuses?wsId=${project.id}`);
  const query = `tag=red&name=apple&rolloutStatus=${statuses[0].id}`;
  assert.deepEqual(namesIn((await api.get(`/splits/ws/${project.id}?${query}`)).body), ['red-apple']);
});

test('a list has only the flags of its project', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  const { name } = await aFlag(api, project, uniqueName('mine'));
  await aFlag(api, other, uniqueName('theirs'));
  assert.deepEqual(namesIn((await api.get(`/splits/ws/${project.id}`)).body), [name]);
});

test('the total is current after every change to flags, with and without a filter', async () => {
  const project = await aProject(api);
  const { body: statuses } = await api.get(`/rolloutStatuses?wsId=${project.id}`);
  const filters = ['', 'tag=red', 'tag=red&tag=blue', 'name=one', `rolloutStatus=${statuses[1].id}`];
  const totals = async () => {
    const counted: number[] = [];
    for (const filter of filters) {
      const { totalCount, objects } = (await api.get(`/splits/ws/${project.id}?${filter}`)).body;
      assert.equal(objects.length, totalCount, filter);
      counted.push(totalCount);
    }
    return counted;
  };
  const path = `/splits/ws/${project.id}`;
  assert.deepEqual(await totals(), [0, 0, 0, 0, 0]);
  await tagged(project, 'one', ['red']);
  assert.deepEqual(await totals(), [1, 1, 1, 1, 0]);
  await tagged(project, 'two', ['red', 'blue']);
  assert.deepEqual(await totals(), [2, 2, 2, 1, 0]);
  await api.patch(`${path}/one`, [{ op: 'replace', path: '/rolloutStatus/id', value: statuses[1].id }]);
  assert.deepEqual(await totals(), [2, 2, 2, 1, 1]);
  await api.patch(`${path}/two`, [{ op: 'replace', path: '/tags', value: ['blue'] }]);
  assert.deepEqual(await totals(), [2, 1, 2, 1, 1]);
  await api.delete(`${path}/one`);
  assert.deepEqual(await totals(), [1, 0, 1, 0, 0]);
});

test('a rollout status of another project is refused like one that does not exist', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  await aFlag(api, other);
  const { body: statuses } = await api.get(`/rolloutStatuses?wsId=${other.id}`);
  for (const id of [statuses[0].id, 'absent']) {
    const message = `rolloutStatus ${id} is not the id of a rollout status of the project; GET /rolloutStatuses?wsId=<project> lists them`;
    refused(await api.get(`/splits/ws/${project.id}?rolloutStatus=${id}`), 400, message);
  }
});

test('a page in the second half stays the same while flags are added after it, on this or another node', async () => {
  const project = await aProject(api);
  for (let number = 0; number < 9; number += 1) await aFlag(api, project, `flag-${number}`);
  const filter = { projectId: project.id, tags: [], name: undefined, rolloutStatusId: undefined, isArchived: false };
  const other = await openStore(api.database);
  const counted = await countFlags(other, filter);
  const page = async () => (await listFlags(other, filter, { offset: 6, limit: 2 }, counted)).map(({ name }) => name);
  const before = await page();
  await aFlag(api, project, 'flag-9');
  const after = await page();
  await other.close();
  assert.deepEqual(
    [before, after],
    [
      ['flag-6', 'flag-7'],
      ['flag-6', 'flag-7'],
    ],
  );
});

test('tags written by a node of the previous release are found after the next start', async () => {
  const project = await aProject(api);
  await tagged(project, 'theirs', ['red']);
  await api.store.write((tx) =>
    tx.run(sql`update flag_tags set project_id = '', flag_created_at = 0 where project_id = ${project.id}`),
  );
  const found = async () => namesIn((await api.get(`/splits/ws/${project.id}?tag=red`)).body);
  const before = await found();
  await completeFlagTags(api.store);
  // Another filter, because the total of the first one is cached for some seconds.
  const after = namesIn((await api.get(`/splits/ws/${project.id}?tag=red&name=their`)).body);
  assert.deepEqual([before, after], [[], ['theirs']]);
});

test('a flag count that such a node left wrong is corrected by the next start, and other projects keep theirs', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  for (const name of ['one', 'two']) await aFlag(api, project, name);
  await aFlag(api, other, 'three');
  await api.store.write((tx) => tx.run(sql`update projects set flag_count = 7 where id = ${project.id}`));
  await completeFlagCounts(api.store);
  const counts = await api.store.all<{ id: string; flag_count: number }>(sql`
    select id, flag_count from projects where id in (${project.id}, ${other.id})`);
  assert.deepEqual(Object.fromEntries(counts.map(({ id, flag_count }) => [id, flag_count])), {
    [project.id]: 2,
    [other.id]: 1,
  });
});

test('the flag count follows creates and deletes, and ignores refusals and other changes', async () => {
  const project = await aProject(api);
  const filter = { projectId: project.id, tags: [], name: undefined, rolloutStatusId: undefined, isArchived: false };
  const total = async () => (await countFlags(api.store, filter)).total;
  const totals = [await total()];
  const step = async (action: () => Promise<unknown>) => {
    await action();
    totals.push(await total());
  };
  await step(() => aFlag(api, project, 'one'));
  await step(() => aFlag(api, project, 'two'));
  await step(() => api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: 'two' }));
  await step(() => tagged(project, 'three', ['red']));
  await step(() => api.delete(`/splits/ws/${project.id}/one`));
  await step(() => api.delete(`/splits/ws/${project.id}/one`));
  assert.deepEqual(totals, [0, 1, 2, 2, 3, 2, 2]);
});
