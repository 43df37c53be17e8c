import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

const aBareProject = (name: string) => api.post('/workspaces', { name });

test('the list is an object around the projects; the first start made Default', async () => {
  const { status, text, body } = await api.get('/workspaces?name=Default');
  assert.equal(status, 200);
  const project = { name: 'Default', type: 'workspace', id: body.objects[0].id, requiresTitleAndComments: false };
  assert.equal(text, JSON.stringify({ objects: [project], offset: 0, limit: 50, totalCount: 1 }));
});

test('a page has 50 projects unless asked otherwise, at most 200, and echoes what it took', async () => {
  const prefix = uniqueName('paged');
  const names = Array.from({ length: 52 }, (_, index) => `${prefix}-${index}`);
  for (const name of names) await aBareProject(name);
  const pages = [
    { query: '', offset: 0, limit: 50, objects: names.slice(0, 50) },
    { query: '&limit=5', offset: 0, limit: 5, objects: names.slice(0, 5) },
    { query: '&limit=5&offset=50', offset: 50, limit: 5, objects: names.slice(50) },
    { query: '&limit=200', offset: 0, limit: 200, objects: names },
    { query: '&limit=201', offset: 0, limit: 200, objects: names },
    { query: '&limit=1000000', offset: 0, limit: 200, objects: names },
    { query: '&offset=52', offset: 52, limit: 50, objects: [] },
    { query: '&offset=9999&limit=3', offset: 9999, limit: 3, objects: [] },
  ];
  for (const { query, ...page } of pages) {
    const { status, body } = await api.get(`/workspaces?nameOp=STARTS_WITH&name=${prefix}-${query}`);
    assert.equal(status, 200, query);
    const found = { ...body, objects: body.objects.map((project: { name: string }) => project.name) };
    assert.deepEqual(found, { ...page, totalCount: 52 }, query);
  }
});

test('a limit below 1, a negative offset or what is no integer is refused by name', async () => {
  for (const member of ['limit', 'offset']) {
    for (const value of ['-1', 'x', '1.5', '1e1', '', '%20', `1&${member}=2`, member === 'limit' ? '0' : '-2']) {
      refused(await api.get(`/workspaces?${member}=${value}`), 400, new RegExp(`^${member} `));
    }
  }
});

test('name finds the projects that are called so, start so or contain it', async () => {
  const word = uniqueName('Needle');
  const [exact, longer, inside] = [word, `${word}.longer`, `some ${word}`];
  for (const name of [inside, exact, longer, uniqueName('other')]) await aBareProject(name);
  const table = [
    { nameOp: '', found: [exact] },
    { nameOp: '&nameOp=IS', found: [exact] },
    { nameOp: '&nameOp=STARTS_WITH', found: [exact, longer] },
    { nameOp: '&nameOp=CONTAINS', found: [inside, exact, longer] },
  ];
  for (const { nameOp, found } of table) {
    const { body } = await api.get(`/workspaces?name=${word}${nameOp}`);
    assert.deepEqual(
      body.objects.map((project: { name: string }) => project.name),
      found,
      nameOp,
    );
    assert.equal(body.totalCount, found.length, nameOp);
  }
  refused(await api.get(`/workspaces?name=${word}&nameOp=LIKE`), 400, /^nameOp /);
});

test('a name is found by letters of any script', async () => {
  const name = `${uniqueName('Straße')} ÜBERSICHT Обзор`;
  await aBareProject(name);
  const table = [
    ['IS', name],
    ['STARTS_WITH', name.slice(0, -1)],
    ['CONTAINS', name.slice(1)],
    ['CONTAINS', 'ÜBERSICHT Обзор'],
  ] as const;
  for (const [nameOp, word] of table) {
    const { body } = await api.get(`/workspaces?nameOp=${nameOp}&name=${encodeURIComponent(word)}`);
    assert.deepEqual(
      body.objects.map((project: { name: string }) => project.name),
      [name],
      `${nameOp} ${word}`,
    );
  }
});

test('the characters of a wanted name mean themselves', async () => {
  const word = uniqueName('a_b%c');
  await aBareProject(word.replace('_', 'x').replace('%', 'y'));
  await aBareProject(word);
  for (const nameOp of ['IS', 'STARTS_WITH', 'CONTAINS']) {
    const { body } = await api.get(`/workspaces?name=${encodeURIComponent(word)}&nameOp=${nameOp}`);
    assert.deepEqual([body.objects[0].name, body.totalCount], [word, 1]);
  }
});

test('projectIdentifier finds the one project of that id or name', async () => {
  const [name, other] = [uniqueName('wanted'), uniqueName('other')];
  const { body: project } = await aBareProject(name);
  await aBareProject(other);
  const table = [
    [`projectIdentifier=${project.id}`, [name]],
    [`projectIdentifier=${name}&organizationIdentifier=any&offset=0&limit=100`, [name]],
    [`projectIdentifier=${name}&name=${other}`, []],
    ['projectIdentifier=absent', []],
  ] as const;
  for (const [query, found] of table) {
    const { body } = await api.get(`/workspaces?${query}`);
    const names = body.objects.map((project: { name: string }) => project.name);
    assert.deepEqual([names, body.totalCount], [found, found.length], query);
  }
});

test('a key of one project lists that project alone', async () => {
  const { id, staging } = await aProject(api);
  const scopes = [
    { kind: 'project', projectId: id },
    { kind: 'environment', projectId: id, environmentIds: [staging.id] },
  ] as const;
  for (const scope of scopes) {
    const { body } = await api.get('/workspaces', { as: await api.key({ scope }) });
    assert.deepEqual([body.objects.map((project: { id: string }) => project.id), body.totalCount], [[id], 1]);
  }
});

test('the identifiers that Harness clients ask by are echoed as asked, and only the project is looked for', async () => {
  const project = await aProject(api);
  for (const word of [project.id, project.name]) {
    const query = `organizationIdentifier=some+org&projectIdentifier=${encodeURIComponent(word)}`;
    const { body } = await api.get(`/workspaces?${query}`);
    assert.equal(body.totalCount, 1);
    const { id, organizationIdentifier, projectIdentifier } = body.objects[0];
    assert.deepEqual([id, organizationIdentifier, projectIdentifier], [project.id, 'some org', word]);
  }
  const { body } = await api.get(`/workspaces?projectIdentifier=${project.id}`);
  assert.deepEqual(Object.keys(body.objects[0]).sort(), [
    ...['id', 'name', 'projectIdentifier', 'requiresTitleAndComments', 'type'],
  ]);
  assert.equal((await api.get('/workspaces?organizationIdentifier=o&projectIdentifier=absent')).body.totalCount, 0);
});
