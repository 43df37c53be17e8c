import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aProject } from '../support/build.ts';

const api = await startApi();

const statuses = [
  ['Pre-Production', 'Splits where code for the feature haven’t been pushed to prod yet'],
  ['0% in Production', 'Splits where code for the feature is pushed to prod but not turned on for anyone'],
  ['Killed', 'Splits that are moved to the default treatment due to an issue or bug'],
  ['Internal Testing', 'Splits that have only been turned on for users that are employees or contractors'],
  [
    'External Beta',
    'Splits that have been turned on for a few external beta customers that have been pre-selected or chosen for early access to a feature',
  ],
  [
    'Ramping',
    'Splits that are turned on for a small percentage of users to make sure no performance issues or larger issues come up',
  ],
  ['Experimenting', 'Splits that have are ramped for max power in an experiment to get results as quickly as possible'],
  ['100% Released', 'Splits that have been moved to be fully on for all customers'],
  ['Removed from Code', 'Splits that have been removed from the codebase'],
  ['Permanent', 'Splits that are set to be permanent circuit breakers in the application'],
] as const;

const defaultProjectId = async () => (await api.get('/workspaces?name=Default')).body.objects[0].id;

test('every project has the ten rollout statuses, in their order, in an array', async () => {
  for (const id of [await defaultProjectId(), (await aProject(api)).id]) {
    const { status, text, body } = await api.get(`/rolloutStatuses?wsId=${id}`);
    assert.equal(status, 200);
    const expected = statuses.map(([name, description], index) => ({ id: body[index].id, name, description }));
    assert.equal(text, JSON.stringify(expected));
  }
});

test('the ids of rollout statuses belong to one project and stay', async () => {
  const list = async (project: string) =>
    (await api.get(`/rolloutStatuses?wsId=${project}`)).body.map((status: { id: string }) => status.id) as string[];
  const [one, other] = [(await aProject(api)).id, (await aProject(api)).id];
  const ids = [...(await list(one)), ...(await list(other))];
  assert.equal(new Set(ids).size, 20);
  assert.deepEqual([...(await list(one)), ...(await list(other))], ids);
});

test('the project must be named and known', async () => {
  for (const query of ['', '?', '?wsId=', '?wsid=Default', '?wsId=a&wsId=b']) {
    refused(await api.get(`/rolloutStatuses${query}`), 400, /wsId/);
  }
  refused(await api.get('/rolloutStatuses?wsId=absent'), 404, 'Could not find project absent');
});

test('the project may stand in the path instead, by id or name', async () => {
  const { id, name } = await aProject(api);
  const { text } = await api.get(`/rolloutStatuses?wsId=${id}`);
  for (const word of [id, name, `${id}/`]) assert.equal((await api.get(`/rolloutStatuses/ws/${word}`)).text, text);
  refused(await api.get('/rolloutStatuses/ws/absent'), 404, 'Could not find project absent');
});

test('a project outside the scope of the key is not found, as if it did not exist', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const scope = { kind: 'environment', projectId: mine.id, environmentIds: [mine.staging.id] } as const;
  const as = await api.key({ scope });
  assert.equal((await api.get(`/rolloutStatuses?wsId=${mine.id}`, { as })).status, 200);
  const hidden = await api.get(`/rolloutStatuses?wsId=${other.id}`, { as });
  refused(hidden, 404, `Could not find project ${other.id}`);
});

test('rollout statuses can only be read', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const answer = await api.call(method, `/rolloutStatuses?wsId=${await defaultProjectId()}`);
    refused(answer, 405, new RegExp(method));
    assert.match(String(answer.headers.allow), /\bGET\b/);
  }
});

test('a trailing slash and a doubled slash change nothing', async () => {
  const query = `?wsId=${await defaultProjectId()}`;
  const { text } = await api.get(`/rolloutStatuses${query}`);
  for (const path of ['/rolloutStatuses/', '/internal/api/v2//rolloutStatuses', '//internal/api/v2/rolloutStatuses']) {
    assert.equal((await api.get(path + query)).text, text, path);
  }
});
