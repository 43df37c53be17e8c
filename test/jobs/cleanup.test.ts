import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { startCleanup } from '#jobs/cleanup.ts';
import { startApi } from '../support/app.ts';
import { aProject, aSegment, uniqueName } from '../support/build.ts';
import { until } from '../support/until.ts';

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
  const job = startCleanup({ store: api.store, log: pino({ level: 'silent' }), trafficDays: 400 });
  await until('the keys are gone', async () => (await countIn(environment)) === 0);
  await job.stop();
  assert.equal(await countIn(project.staging), 1_200);
});

test('old uploads are deleted, except the ten newest of each segment in an environment', async () => {
  const project = await aProject(api);
  const name = uniqueName('uploaded');
  await api.post(`/large-segments/ws/${project.id}/trafficTypes/user`, { name });
  const ids: Record<string, string[]> = {};
  for (const { id } of [project.staging, project.production]) {
    await api.post(`/large-segments/${id}/${name}`);
    const requests = `/changeRequests/ws/${project.id}/environments/${id}`;
    for (let count = 0; count < 12; count += 1) {
      const { body } = await api.post(requests, { largeSegment: { name }, operationType: 'UPLOAD' });
      ids[id] = [...(ids[id] ?? []), body.id];
    }
  }
  const [staging = [], production = []] = [ids[project.staging.id], ids[project.production.id]];
  // All of staging and the newest of production are old.
  for (const id of [...staging, production.at(-1)]) {
    await api.store.write((tx) =>
      tx.run(sql`update segment_uploads set created_at = created_at - 2700000000 where id = ${id}`),
    );
  }
  const job = startCleanup({ store: api.store, log: pino({ level: 'silent' }), trafficDays: 400 });
  const remaining = async (environment: { id: string }) =>
    (
      await api.store.all<{ id: string }>(sql`
        select id from segment_uploads where environment_id = ${environment.id} order by created_at, id`)
    ).map(({ id }) => id);
  await until('they are gone', async () => (await remaining(project.staging)).length === 10);
  await until('they are gone', async () => (await remaining(project.production)).length === 11);
  await job.stop();
  assert.deepEqual(await remaining(project.staging), staging.slice(2));
  assert.deepEqual(await remaining(project.production), production.slice(0, -1));
});
