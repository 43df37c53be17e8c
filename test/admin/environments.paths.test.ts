import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

const anEnvironment = (project: { id: string }, name: string) => api.post(`/environments/ws/${project.id}`, { name });

test('an environment of another project is not found', async () => {
  const [project, other] = [await aProject(api), await aProject(api)];
  const foreign = other.staging.id;
  const calls = [
    ['PATCH', `/environments/ws/${project.id}/${foreign}`],
    ['DELETE', `/environments/ws/${project.id}/${foreign}`],
    ['GET', `/splits/ws/${project.id}/environments/${foreign}`],
    ['GET', `/splits/ws/${project.id}/flag/environments/${foreign}`],
    ['POST', `/splits/ws/${project.id}/flag/environments/${foreign}`],
  ] as const;
  for (const [method, path] of calls) {
    refused(await api.call(method, path, { body: [] }), 404, `Could not find environment ${foreign}`);
  }
});

test('an environment is named by id or name, the id first', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  assert.equal((await api.get(path.replace(project.staging.id, 'staging'))).body.environment.id, project.staging.id);
  // The API accepts no name as long as an id.
  await api.store.write((tx) =>
    tx.run(sql`update environments set name = ${project.staging.id} where id = ${project.production.id}`),
  );
  assert.equal((await api.get(path)).body.environment.id, project.staging.id);
});

test('a renamed environment is found, and shown by its definitions, under its new name', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  await api.patch(`/environments/ws/${project.id}/staging`, [{ op: 'replace', path: '/name', value: 'renamed' }]);
  const { body } = await api.get(path.replace(project.staging.id, 'renamed'));
  assert.deepEqual(body.environment, { id: project.staging.id, name: 'renamed' });
  const old = await api.get(path.replace(project.staging.id, 'staging'));
  refused(old, 404, 'Could not find environment staging');
});

test('an environment name in a path is percent-decoded, and + means a space if nothing has that name', async () => {
  const project = await aProject(api);
  const table = [
    ['QA two', 'QA%20two'],
    ['QA two', 'QA+two'],
    ['slash/ed', 'slash%2Fed'],
    ['50%', '50%25'],
    ['C+', 'C+'],
    ['C+', 'C%2B'],
  ] as const;
  for (const name of new Set(table.map(([name]) => name))) await anEnvironment(project, name);
  for (const [name, word] of table) {
    const flag = await aFlag(api, project);
    const { body } = await api.post(`/splits/ws/${project.id}/${flag.name}/environments/${word}`, aDefinition());
    assert.equal(body.environment?.name, name, word);
  }
  await anEnvironment(project, 'QA+two');
  const { body } = await api.patch(`/environments/ws/${project.id}/QA+two`, []);
  assert.equal(body.name, 'QA+two', 'a literal + has precedence');
});

test('a trailing slash and a doubled slash change nothing', async () => {
  const { id } = await aProject(api);
  const { text } = await api.get(`/environments/ws/${id}`);
  for (const path of [
    `/environments/ws/${id}/`,
    `/environments//ws/${id}`,
    `//internal/api/v2/environments/ws/${id}`,
  ]) {
    assert.equal((await api.get(path)).text, text, path);
  }
});

test('a single environment cannot be read, only changed and deleted', async () => {
  const project = await aProject(api);
  const answer = await api.get(`/environments/ws/${project.id}/${project.staging.id}`);
  refused(answer, 405, /GET/);
  assert.deepEqual(String(answer.headers.allow).split(', ').sort(), ['DELETE', 'PATCH']);
});

test('a name with + that the key cannot see neither shadows the one with a space nor reveals that it exists', async () => {
  const project = await aProject(api);
  const [word, name] = [uniqueName('my+project'), uniqueName('my+environment')];
  const rename = (path: string, to: string) => api.patch(path, [{ op: 'replace', path: '/name', value: to }]);
  await rename(`/workspaces/${project.id}`, word.replace('+', ' '));
  await rename(`/environments/ws/${project.id}/staging`, name.replace('+', ' '));
  const environmentIds = [project.staging.id];
  const as = await api.key({ scope: { kind: 'environment', projectId: project.id, environmentIds } });
  const path = `/splits/ws/${word}/environments/${name}`;
  assert.equal((await api.get(path, { as })).status, 200);
  assert.equal((await api.post('/workspaces', { name: word })).status, 200);
  assert.equal((await anEnvironment(project, name)).status, 200);
  assert.equal((await api.get(path, { as })).status, 200);
});
