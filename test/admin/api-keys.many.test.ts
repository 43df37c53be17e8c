/** More keys than a statement may have values: 32,766 in SQLite, 65,535 in PostgreSQL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql, { bulk } from 'sql-template-tag';
import { startApi } from '../support/app.ts';
import { uniqueName } from '../support/build.ts';
import { onPostgres } from '../support/databases.ts';
import { anInstallation } from '../support/process.ts';

const api = await startApi();
const many = onPostgres ? 66_000 : 34_000;
const atOnce = 1_000;

const created = await api.post('/workspaces', { name: uniqueName('project') });
assert.equal(created.status, 200, created.text);
const project = created.body;
const trafficTypes = await api.get(`/trafficTypes/ws/${project.id}`);
assert.equal(trafficTypes.status, 200, trafficTypes.text);
for (const { id } of trafficTypes.body) await api.delete(`/trafficTypes/${id}`);

for (let first = 0; first < many; first += atOnce) {
  const rows = Array.from({ length: atOnce }, (_, index) => {
    const id = `many-${first + index}`;
    return [id, id, 'admin', '["API_ALL_GRANTED"]', `hash of ${id}`, 'abcd', project.id, 'operator', 'test', first];
  });
  await api.store.write((tx) =>
    tx.run(sql`
      insert into api_keys (id, name, type, roles, hash, last_four, project_id, created_by_type, created_by_id, created_at)
      values ${bulk(rows)}`),
  );
}

test('the command line lists all keys, however many there are', async () => {
  const { code, stdout, stderr } = await anInstallation(api.database).run(['keys', 'list']);
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(stdout.match(/^many-\d+ /gm)?.length, many);
});

test('a project with very many keys can be deleted; its entry says how many there were', async () => {
  const actions = await api.recorded(async () => {
    const answer = await api.delete(`/workspaces/${project.id}`);
    assert.equal(answer.status, 200, answer.text);
  });
  const { body } = await api.get(`/auditLogs?objectId=${project.id}&limit=1`);
  const { apiKeys, apiKeyCount } = body.data[0].before;
  assert.deepEqual([actions.length, apiKeys.length, apiKeyCount], [1, 1_000, many]);
  const left = await api.store.one<{ total: number }>(
    sql`select count(*) as total from api_keys where project_id = ${project.id}`,
  );
  assert.equal(left?.total, 0);
});
