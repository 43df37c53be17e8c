import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aFlag, aProject } from '../support/build.ts';

const api = await startApi();
const start = Date.now();
api.clock.now = start;
const hour = 3_600_000;
const anAdminKey = async (fields = {}) =>
  (await api.post('/apiKeys', { name: 'Deploy', apiKeyType: 'admin', ...fields })).body as { id: string; key: string };

test('a key is renamed, with one audit entry; roles and scope stay', async () => {
  const { id, key } = await anAdminKey();
  const { name: _, ...before } = (await api.get(`/apiKeys/${id}`)).body;
  const actions = await api.recorded(async () => {
    const { status, body } = await api.put(`/apiKeys/${id}`, { name: 'Release' });
    assert.deepEqual([status, body], [200, { ...before, name: 'Release' }]);
    const change = await api.lastChange();
    assert.deepEqual(change.object, { type: 'api_key', id, name: 'Release' });
  });
  assert.deepEqual(actions, ['api_key.changed']);
  assert.deepEqual(await api.recorded(() => api.put(`/apiKeys/${id}`, { name: 'Release' })), []);
  assert.equal((await api.get('/workspaces', { as: key })).status, 200);
  refused(await api.put('/apiKeys/absent', { name: 'x' }), 404, /absent/);
  for (const body of [{ name: '' }, { roles: ['API_APIKEY'] }]) {
    assert.equal((await api.put(`/apiKeys/${id}`, body)).status, 400);
  }
});

test('an admin key works until it expires, also where its responses would be cached, and can be extended', async () => {
  const expiresAt = start + hour;
  const { id, key } = await anAdminKey({ expiresAt });
  assert.equal((await api.get(`/apiKeys/${id}`)).body.expiresAt, expiresAt);
  for (const _ of [1, 2, 3]) assert.equal((await api.get('/workspaces', { as: key })).status, 200);
  try {
    api.clock.now = expiresAt - 1;
    assert.equal((await api.get('/workspaces', { as: key })).status, 200);
    api.clock.now = expiresAt;
    const refusal = await api.get('/workspaces', { as: key });
    refused(refusal, 401, 'Invalid Admin API Key');
    assert.match(refusal.body.details, /has expired/);
    refused(await api.post('/groups', { name: 'late' }, { as: key }), 401, 'Invalid Admin API Key');
    assert.equal((await api.put(`/apiKeys/${id}`, { expiresAt: expiresAt + hour })).status, 200);
    assert.equal((await api.get('/workspaces', { as: key })).status, 200);
    assert.equal((await api.put(`/apiKeys/${id}`, { expiresAt: null })).body.expiresAt, undefined);
    api.clock.now = expiresAt + 2 * hour;
    assert.equal((await api.get('/workspaces', { as: key })).status, 200);
  } finally {
    api.clock.now = start;
  }
});

test('a key without an expiry whose responses are cached can be given one', async () => {
  const { id, key } = await anAdminKey();
  for (const _ of [1, 2, 3]) assert.equal((await api.get('/workspaces', { as: key })).status, 200);
  await api.put(`/apiKeys/${id}`, { expiresAt: start + hour });
  try {
    api.clock.now = start + hour;
    assert.equal((await api.get('/workspaces', { as: key })).status, 401);
  } finally {
    api.clock.now = start;
  }
});

test('a key cannot expire in the past; renaming one that has expired is possible', async () => {
  for (const expiresAt of [start, 0, 'soon', 1.5, 1e18]) {
    assert.equal((await api.post('/apiKeys', { name: 'x', apiKeyType: 'admin', expiresAt })).status, 400);
  }
  const { id } = await anAdminKey({ expiresAt: start + hour });
  refused(await api.put(`/apiKeys/${id}`, { expiresAt: start - 1 }), 400, 'expiresAt must be in the future');
  try {
    api.clock.now = start + 2 * hour;
    assert.equal((await api.put(`/apiKeys/${id}`, { name: 'Old' })).status, 200);
  } finally {
    api.clock.now = start;
  }
});

test('an SDK key stops working when it expires', async () => {
  const project = await aProject(api);
  await aFlag(api, project);
  const fields = { name: 'App', apiKeyType: 'server_side', workspace: { id: project.id } };
  const environments = [{ id: project.staging.id }];
  const { body } = await api.post('/apiKeys', { ...fields, environments, expiresAt: start + hour });
  const poll = async () => (await api.get('/api/splitChanges?s=1.3&since=-1', { as: body.key })).status;
  assert.equal(await poll(), 200);
  try {
    api.clock.now = start + hour;
    assert.equal(await poll(), 401);
    await api.put(`/apiKeys/${body.id}`, { expiresAt: start + 3 * hour });
    assert.equal(await poll(), 200);
  } finally {
    api.clock.now = start;
  }
});
