import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';

const api = await startApi();

async function aGroup(description = '') {
  const { body } = await api.post('/groups', { name: uniqueName('group'), description });
  return body as { id: string; name: string; description: string; type: string };
}

async function administrators() {
  const { body } = await api.get('/groups?limit=1');
  assert.equal(body.objects[0].name, 'Administrators');
  return body.objects[0] as { id: string; name: string; description: string; type: string };
}

test('a group is created, read and recorded', async () => {
  const name = uniqueName('group');
  const actions = await api.recorded(async () => {
    const created = await api.post('/groups', { name, description: 'developers' });
    assert.equal(created.status, 200);
    const { id } = created.body;
    assert.deepEqual(created.body, { id, name, description: 'developers', type: 'group' });
    assert.deepEqual((await api.get(`/groups/${id}`)).body, created.body);
  });
  assert.deepEqual(actions, ['group.created']);
});

test('a group name exists once', async () => {
  const { name } = await aGroup();
  const actions = await api.recorded(async () => {
    refused(await api.post('/groups', { name }), 409, `Group ${name} already exists`);
  });
  assert.deepEqual(actions, []);
});

test('of twenty concurrent creates with the same name, exactly one succeeds', async () => {
  const name = uniqueName('group');
  const actions = await api.recorded(async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.post('/groups', { name })));
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, ...Array(19).fill(409)]);
  });
  assert.deepEqual(actions, ['group.created']);
});

test('the smallest and the largest group are accepted, unknown fields are ignored', async () => {
  for (const [body, expected] of [
    [{ name: uniqueName('g') }, { description: '' }],
    [{ name: 'x' }, { name: 'x' }],
    [{ name: uniqueName('n').padEnd(255, 'n'), description: 'd'.repeat(2000) }, { description: 'd'.repeat(2000) }],
    [{ name: uniqueName('Ünïcode 旗 🚩') }, { description: '' }],
    [
      { name: uniqueName('g'), id: 'mine', type: 'user', members: [1] },
      { type: 'group', description: '' },
    ],
  ] as const) {
    const answer = await api.post('/groups', body);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body, { ...answer.body, name: body.name, ...expected });
    assert.notEqual(answer.body.id, 'mine');
    assert.deepEqual(Object.keys(answer.body).sort(), ['description', 'id', 'name', 'type']);
  }
});

test('an invalid group is refused with the path of the first error, and nothing is recorded', async () => {
  const name = uniqueName('group');
  const wrong: [body: unknown, message: RegExp][] = [
    [{}, /^name /],
    [{ description: 'only' }, /^name /],
    [{ name: '' }, /^name /],
    [{ name: ' \t ' }, /^name /],
    [{ name: 'n'.repeat(256) }, /^name /],
    [{ name: null }, /^name /],
    [{ name: 7 }, /^name /],
    [{ name: [name] }, /^name /],
    [{ name, description: 'd'.repeat(2001) }, /^description /],
    [{ name, description: 1 }, /^description /],
    [[], /^body /],
    ['group', /^body /],
    [null, /^body /],
  ];
  const actions = await api.recorded(async () => {
    for (const [body, message] of wrong) refused(await api.post('/groups', body), 400, message);
  });
  assert.deepEqual(actions, []);
});

test('all errors are in the details, one per line', async () => {
  const answer = await api.post('/groups', { name: '', description: 7 });
  refused(answer, 400, /^(name|description) /);
  const lines: string[] = answer.body.details.split('\n');
  assert.equal(lines[0], answer.body.message);
  assert.deepEqual(lines.map((line) => line.split(' ')[0]).sort(), ['description', 'name']);
});

test('groups are listed in order of creation, page by page', async () => {
  const { totalCount } = (await api.get('/groups')).body;
  const made = [await aGroup('1'), await aGroup('2'), await aGroup('3')];
  const pages = await Promise.all([0, 1, 2].map((step) => api.get(`/groups?offset=${totalCount + step}&limit=1`)));
  assert.deepEqual(
    pages.map((page) => page.body),
    made.map((group, step) => ({
      objects: [group],
      offset: totalCount + step,
      limit: 1,
      totalCount: totalCount + made.length,
    })),
  );
});

test('a page has 50 groups unless asked otherwise, and never more than 200: the lowered limit is echoed', async () => {
  const asked = { '': 50, '?limit=1': 1, '?limit=200': 200, '?limit=201': 200, '?limit=999999999999': 200 };
  for (const [query, limit] of Object.entries(asked)) {
    const { body } = await api.get(`/groups${query}`);
    assert.deepEqual([body.offset, body.limit], [0, limit], query);
    assert.ok(body.objects.length <= limit);
  }
});

test('an offset at or beyond the total returns an empty page that echoes it', async () => {
  const { totalCount } = (await api.get('/groups')).body;
  for (const offset of [totalCount, totalCount + 7, Number.MAX_SAFE_INTEGER]) {
    const { status, body } = await api.get(`/groups?offset=${offset}&limit=5`);
    assert.equal(status, 200);
    assert.deepEqual(body, { objects: [], offset, limit: 5, totalCount });
  }
});

test('an offset or limit that is not a whole number of the right size is refused', async () => {
  for (const query of ['limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=', 'limit=1&limit=2']) {
    refused(await api.get(`/groups?${query}`), 400, /^limit/);
  }
  for (const query of ['offset=-1', 'offset=x', 'offset=0.5', 'offset=', 'offset=1e3', 'offset=99999999999999999999']) {
    refused(await api.get(`/groups?${query}`), 400, /^offset/);
  }
});

test('a group that does not exist is 404 for every method', async () => {
  const path = '/groups/no-such-group';
  const actions = await api.recorded(async () => {
    for (const answer of [await api.get(path), await api.put(path, { name: 'x' }), await api.delete(path)]) {
      refused(answer, 404, 'Could not find group no-such-group');
    }
  });
  assert.deepEqual(actions, []);
});

test('an update changes name and description, and keeps absent fields', async () => {
  const group = await aGroup('before');
  const renamed = { ...group, name: uniqueName('renamed') };
  const actions = await api.recorded(async () => {
    const answer = await api.put(`/groups/${group.id}`, { name: renamed.name });
    assert.deepEqual([answer.status, answer.body], [200, renamed]);
    const explained = { ...renamed, description: 'explained' };
    assert.deepEqual((await api.put(`/groups/${group.id}`, { description: 'explained' })).body, explained);
    // Null is the same as left out, so this one changes nothing.
    assert.deepEqual((await api.put(`/groups/${group.id}`, { name: null, description: null })).body, explained);
    const described = { ...renamed, description: '' };
    assert.deepEqual((await api.put(`/groups/${group.id}`, described)).body, described);
    assert.deepEqual((await api.get(`/groups/${group.id}`)).body, described);
  });
  assert.deepEqual(actions, Array(3).fill('group.replaced'));
});

test('an update must have the right shape and agree with the path about id and type', async () => {
  const group = await aGroup('kept');
  const other = await aGroup();
  const wrong: [body: unknown, message: RegExp][] = [
    [{ name: '  ' }, /^name /],
    [{ ...group, id: other.id }, /^id /],
    [{ ...group, type: 'user' }, /^type /],
    [{ ...group, description: 'd'.repeat(2001) }, /^description /],
  ];
  const actions = await api.recorded(async () => {
    for (const [body, message] of wrong) refused(await api.put(`/groups/${group.id}`, body), 400, message);
    const answer = await api.put(`/groups/${group.id}`, { name: other.name });
    refused(answer, 409, `Group ${other.name} already exists`);
  });
  assert.deepEqual(actions, []);
  assert.deepEqual((await api.get(`/groups/${group.id}`)).body, group);
});

test('deleting a group removes it from its members and frees its name', async () => {
  const [kept, gone] = [await aGroup(), await aGroup()];
  const email = `${uniqueName('member')}@example.com`;
  const { body: user } = await api.post('/users', { email, groups: [kept.id, gone.id] });
  const actions = await api.recorded(async () => {
    const answer = await api.delete(`/groups/${gone.id}`);
    assert.deepEqual([answer.status, answer.text], [200, 'true']);
  });
  assert.deepEqual(actions, ['group.deleted']);
  assert.deepEqual((await api.lastChange()).before, { ...gone, members: [user.id] });
  refused(await api.get(`/groups/${gone.id}`), 404, `Could not find group ${gone.id}`);
  assert.deepEqual((await api.get(`/users/${user.id}`)).body.groups, [{ id: kept.id, type: 'group' }]);
  assert.equal((await api.post('/groups', { name: gone.name })).status, 200);
});

test('Administrators can get a description, but cannot be renamed or deleted', async () => {
  const group = await administrators();
  const actions = await api.recorded(async () => {
    const message = 'The Administrators group cannot be renamed or deleted';
    refused(await api.put(`/groups/${group.id}`, { name: 'Managers' }), 400, message);
    refused(await api.delete(`/groups/${group.id}`), 400, message);
  });
  assert.deepEqual(actions, []);
  const described = { ...group, description: uniqueName('description') };
  assert.deepEqual((await api.put(`/groups/${group.id}`, described)).body, described);
});
