import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';

const api = await startApi();

async function aGroup(description = '') {
  const { body } = await api.post('/groups', { name: uniqueName('group'), description });
  return body as { id: string; name: string; description: string; type: string };
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
