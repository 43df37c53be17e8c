import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

test('a flag that is not defined in the environment is not found, and the error quotes the path', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const calls = [
    ['GET', '', undefined],
    ['PUT', '', aDefinition()],
    ['PATCH', '', [{ op: 'replace', path: '/killed', value: true }]],
    ['DELETE', '', undefined],
    ['PUT', '/kill', undefined],
    ['POST', '/kill', undefined],
    ['PUT', '/restore', undefined],
    ['POST', '/restore', undefined],
  ] as const;
  for (const word of [flag.name, flag.id, 'absent', 'absent+flag', 'absent%20flag']) {
    const path = `/splits/ws/${project.id}/${word}/environments/${project.staging.id}`;
    const actions = await api.recorded(async () => {
      for (const [method, suffix, body] of calls) {
        const answer = await api.call(method, path + suffix, { body });
        refused(answer, 404, `Could not find splitmetadata ${decodeURIComponent(word)}`);
      }
    });
    assert.deepEqual(actions, []);
  }
  const unknown = await api.post(`/splits/ws/${project.id}/absent/environments/staging`, aDefinition());
  refused(unknown, 404, 'Could not find splitmetadata absent');
  const nowhere = await api.get(`/splits/ws/${project.id}/${flag.name}/environments/absent`);
  refused(nowhere, 404, 'Could not find environment absent');
});

test('project, flag and environment are each named by id or name, in every call', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const calls = [
    ['POST', '', aDefinition()],
    ['GET', '', undefined],
    ['PUT', '', aDefinition()],
    ['PATCH', '', []],
    ['PUT', '/kill', undefined],
    ['POST', '/kill', undefined],
    ['PUT', '/restore', undefined],
    ['POST', '/restore', undefined],
    ['DELETE', '', undefined],
  ] as const;
  for (const projectWord of [project.id, project.name]) {
    for (const flagWord of [flag.id, flag.name]) {
      for (const environmentWord of [project.staging.id, project.staging.name]) {
        const path = `/splits/ws/${projectWord}/${flagWord}/environments/${environmentWord}`;
        for (const [method, suffix, body] of calls) {
          const answer = await api.call(method, path + suffix, { body });
          assert.equal(answer.status, 200, `${method} ${path}${suffix} ${answer.text}`);
          if (method !== 'DELETE') assert.deepEqual(answer.body.environment.id, project.staging.id);
        }
      }
    }
  }
});

test('the path of a definition is percent-decoded, and slashes may be doubled or trail', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project);
  const { text } = await api.get(path);
  const encoded = flag.name.replaceAll('-', '%2D');
  const paths = [
    `${path}/`,
    path.replaceAll('/', '//').slice(1),
    path.replace(flag.name, encoded),
    `//internal/api/v2${path}`,
    `/internal/api/v2/${path}`,
  ];
  for (const other of paths) assert.equal((await api.get(other)).text, text, other);
});

test('a name goes before an id where a flag is meant', async () => {
  const project = await aProject(api);
  const [{ flag, path }, other] = [await aDefinedFlag(api, project), await aDefinedFlag(api, project)];
  // No name that the API takes looks like an id.
  await api.store.write((tx) => tx.run(sql`update flags set name = ${flag.id} where id = ${other.flag.id}`));
  assert.equal((await api.get(path.replace(flag.name, flag.id))).body.id, other.flag.id);
});

test('a + in the name of project or environment that finds nothing is read as a space', async () => {
  const { body: project } = await api.post('/workspaces', { name: `${uniqueName('with')} some spaces` });
  const { body: environment } = await api.post(`/environments/ws/${project.id}`, { name: 'QA two' });
  const { name } = await aFlag(api, project);
  for (const space of ['+', '%20']) {
    const [projectWord, environmentWord] = [project.name, environment.name].map((word) => word.replaceAll(' ', space));
    const path = `/splits/ws/${projectWord}/${name}/environments/${environmentWord}`;
    assert.equal((await api.post(path, aDefinition())).body.environment?.id, environment.id, space);
    assert.equal((await api.call('POST', `${path}/kill`)).body.killed, true);
    assert.equal((await api.delete(path)).text, 'true');
  }
});
