import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { startKeyCleanup } from '#jobs/segment-keys.ts';
import { startApi } from '../support/app.ts';
import { aProject, aSegment, uniqueName } from '../support/build.ts';
import { until } from '../support/nodes.ts';

const api = await startApi();

const countIn = async ({ id }: { id: string }) =>
  (await api.store.one<{ total: number }>(sql`select count(*) as total from segment_keys where environment_id = ${id}`))
    ?.total;

test('keys of a deleted environment are deleted afterwards, and no others', async () => {
  const project = await aProject(api);
  const { body: environment } = await api.post(`/environments/ws/${project.id}`, { name: uniqueName('env') });
  for (const { id } of environment.apiTokens) await api.delete(`/apiKeys/${id}`);
  const { name } = await aSegment(api, project, [environment, project.staging]);
  const keys = Array.from({ length: 1_200 }, (_, index) => `key-${index}`);
  for (const { id } of [environment, project.staging]) await api.put(`/segments/${id}/${name}/uploadKeys`, { keys });
  await api.put(`/segments/${environment.id}/${name}/uploadKeys?replace=true`, { keys: [] });
  await api.delete(`/segments/${environment.id}/${name}`);
  assert.equal((await api.delete(`/environments/ws/${project.id}/${environment.id}`)).text, 'true');
  assert.deepEqual([await countIn(environment), await countIn(project.staging)], [1_200, 1_200]);
  const job = startKeyCleanup({ store: api.store, log: pino({ level: 'silent' }) });
  await until('the keys are gone', async () => (await countIn(environment)) === 0);
  await job.stop();
  assert.equal(await countIn(project.staging), 1_200);
});
