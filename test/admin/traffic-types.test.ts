import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { refused, startApi } from '../support/app.ts';
import { aFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

const list = (project: { id: string }) => api.get(`/trafficTypes/ws/${project.id}`);

async function aTrafficType(project: { id: string }, name = uniqueName('kind')) {
  const { body } = await api.post(`/trafficTypes/ws/${project.id}`, { name });
  return body as { id: string; name: string };
}

/** The attempt leaves neither a change of the project's traffic types nor an audit entry behind. */
async function changesNothing(project: { id: string }, attempt: () => Promise<unknown>) {
  const before = (await list(project)).text;
  assert.deepEqual(await api.recorded(attempt), []);
  assert.equal((await list(project)).text, before);
}

test('the first start makes user, account and anonymous', async () => {
  const { status, body } = await api.get('/trafficTypes/ws/Default');
  assert.equal(status, 200);
  assert.deepEqual(
    body.map((trafficType: { name: string }) => trafficType.name),
    ['user', 'account', 'anonymous'],
  );
});

test('the list is an array of traffic types with their project, in order of creation', async () => {
  const project = await aProject(api);
  await aTrafficType(project, 'account');
  const { text, body } = await list(project);
  const workspace = { id: project.id, name: project.name, type: 'workspace' };
  const expected = ['user', 'account'].map((name, index) => ({
    name,
    type: 'trafficType',
    id: body[index].id,
    displayAttributeId: '',
    workspace,
  }));
  assert.equal(text, JSON.stringify(expected));
});

test('a traffic type is created in the project of the path and recorded', async () => {
  const project = await aProject(api);
  for (const word of [project.id, project.name]) {
    const body = { name: uniqueName('kind'), displayAttributeId: 'email', unknown: 1 };
    const actions = await api.recorded(async () => {
      const created = await api.post(`/trafficTypes/ws/${word}/`, body, { headers: { 'content-type': 'text/plain' } });
      assert.equal(created.status, 200);
      const { name, displayAttributeId, workspace } = created.body;
      assert.deepEqual({ name, displayAttributeId, unknown: 1 }, body);
      assert.deepEqual(workspace, { id: project.id, name: project.name, type: 'workspace' });
      assert.deepEqual((await list(project)).body.at(-1), created.body);
    });
    assert.deepEqual(actions, ['trafficType.created']);
    const { object, workspaceId, before } = await api.lastChange();
    assert.deepEqual(
      [object.type, object.name, workspaceId, before],
      ['trafficType', body.name, project.id, undefined],
    );
  }
});

test('a traffic type name starts with a letter, then letters, digits, - and _', async () => {
  const project = await aProject(api);
  const path = `/trafficTypes/ws/${project.id}`;
  for (const name of ['', '1st', '-a', '_a', 'a b', 'a.b', 'ä', 'a\n', 7, null, undefined]) {
    await changesNothing(project, async () => refused(await api.post(path, { name }), 400, /name/));
  }
  for (const name of ['a', 'A-1_b']) assert.equal((await api.post(path, { name })).status, 200, name);
});

test('a traffic type name exists once in a project', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  await changesNothing(project, async () => {
    const answer = await api.post(`/trafficTypes/ws/${project.id}`, { name: 'user' });
    refused(answer, 409, 'Traffic type user already exists');
  });
  const { name } = await aTrafficType(project);
  assert.equal((await aTrafficType(other, name)).name, name);
});

test('a traffic type that no flag uses is deleted by its id', async () => {
  const project = await aProject(api);
  const { id, name } = await aTrafficType(project);
  const actions = await api.recorded(async () => {
    const { status, text } = await api.call('DELETE', `/trafficTypes/${id}`, { text: '' });
    assert.deepEqual([status, text], [200, 'true']);
  });
  assert.deepEqual(actions, ['trafficType.deleted']);
  const change = await api.lastChange();
  assert.deepEqual([(change.before as { name: string }).name, change.after], [name, undefined]);
  assert.equal((await list(project)).body.length, 1);
  refused(await api.delete(`/trafficTypes/${id}`), 404, `Could not find traffic type ${id}`);
});

test('a traffic type that a flag uses cannot be deleted', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const [user] = (await list(project)).body;
  await changesNothing(project, async () => {
    const message = 'Traffic type user is still used by feature flags or segments; delete them first';
    refused(await api.delete(`/trafficTypes/${user.id}`), 400, message);
  });
  await api.delete(`/splits/ws/${project.id}/${flag.name}`);
  assert.equal((await api.delete(`/trafficTypes/${user.id}`)).text, 'true');
});

test('a traffic type outside the scope of the key is not found, as if it did not exist', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const as = await api.key({ scope: { kind: 'project', projectId: mine.id } });
  const { id } = await aTrafficType(other);
  await changesNothing(other, async () => {
    refused(await api.delete(`/trafficTypes/${id}`, { as }), 404, `Could not find traffic type ${id}`);
    refused(await api.get(`/trafficTypes/ws/${other.id}`, { as }), 404, `Could not find project ${other.id}`);
  });
});

test('the path of a new flag names the traffic type by id or name, the id first', async () => {
  const project = await aProject(api);
  const [user] = (await list(project)).body;
  const account = await aTrafficType(project, 'account');
  const trafficTypeBy = async (word: string) => {
    const { body } = await api.post(`/splits/ws/${project.id}/trafficTypes/${word}`, { name: uniqueName('flag') });
    return body.trafficType;
  };
  for (const word of [account.id, 'account']) {
    assert.deepEqual(await trafficTypeBy(word), { id: account.id, name: 'account' }, word);
  }
  // No name that the API takes looks like an id.
  await api.store.write((tx) => tx.run(sql`update traffic_types set name = ${user.id} where id = ${account.id}`));
  assert.deepEqual(await trafficTypeBy(user.id), { id: user.id, name: 'user' });
});
