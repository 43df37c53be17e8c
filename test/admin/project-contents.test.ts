import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql, { raw } from 'sql-template-tag';
import { tables } from '../../src/operations/copy.ts';
import { lacks, refused, startApi } from '../support/app.ts';
import {
  aDefinedFlag,
  aFlag,
  aFullProject,
  aProject,
  aSegment,
  aSetName,
  copiesOfFlag,
  uniqueName,
} from '../support/build.ts';

const api = await startApi();

const withContents = (project: { id: string }, more = '') =>
  api.delete(`/workspaces/${project.id}?contents=delete${more}`);

/** The names of the tables with rows that name one of the ids, except those that keep history or that jobs empty. */
async function tablesNaming(ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of tables) {
    if (/^(changes|watch_news|segment_keys|key_list|traffic_counts|flag_traffic|event_)/.test(name)) continue;
    const text = JSON.stringify(await api.store.all(sql`select * from ${raw(name)}`));
    if (ids.some((id) => text.includes(id))) found.push(name);
  }
  return found;
}

test('a project that is in use is deleted with everything in it, if the caller says so', async () => {
  const [project, other] = [await aFullProject(api), await aFullProject(api)];
  const { flag, path } = await aDefinedFlag(api, project);
  await api.post(`/splits/ws/${project.id}/${flag.name}/archive`);
  const flags = (await api.get(`/splits/ws/${project.id}`)).body.objects;
  const [first] = flags;
  const before = await api.get(`/splits/ws/${other.id}/environments/${other.staging.id}`);
  refused(await api.delete(`/workspaces/${project.id}`), 400, /still has environments or traffic types/);
  refused(await api.delete(`/workspaces/${project.id}?contents=yes`), 400, /^contents /);

  const actions = await api.recorded(async () => {
    const { status, text } = await withContents(project, '&title=Over&comment=Sold');
    assert.deepEqual([status, text], [200, 'true']);
  });
  const count = (action: string) => actions.filter((one) => one === action).length;
  assert.equal(actions.at(-1), 'workspace.deleted');
  assert.deepEqual(
    ['definition.deleted', 'flag.deleted', 'segment.deactivated', 'segment.deleted', 'environment.deleted'].map(count),
    [2, 2, 3, 4, 2],
  );
  assert.deepEqual(['flag_set.deleted', 'attribute.deleted', 'trafficType.deleted'].map(count), [1, 1, 1]);
  const last = await api.lastChange();
  assert.deepEqual([last.object.name, last.title, last.comment], [project.name, 'Over', 'Sold']);
  assert.equal((last.before as { apiKeys: unknown[] }).apiKeys.length, 4, 'the keys of its environments');
  const ids = [project.id, project.staging.id, project.production.id, flag.id, first.id];
  assert.deepEqual(await tablesNaming(ids), []);
  refused(await api.get(path), 404, /Could not find project/);
  assert.deepEqual((await api.get(`/splits/ws/${other.id}/environments/${other.staging.id}`)).body, before.body);
  assert.equal((await api.post('/workspaces', { name: project.name })).status, 200, 'its name is free');
});

test('the keys of a project that is deleted with its contents stop working at once', async () => {
  const project = await aProject(api);
  await aDefinedFlag(api, project);
  const body = {
    name: uniqueName('key'),
    apiKeyType: 'server_side',
    workspace: { id: project.id },
    environments: [{ id: project.staging.id }],
  };
  const { key } = (await api.post('/apiKeys', body)).body;
  const poll = () => api.call('GET', '/api/splitChanges?s=1.3&since=-1', { as: key });
  assert.equal((await poll()).status, 200);
  assert.equal((await withContents(project)).status, 200);
  assert.equal((await poll()).status, 401);
});

test('contents are not deleted where changes need an approval, or without the note that the project requires', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  const requireApprovals = (value: boolean) =>
    api.patch(`/environments/ws/${project.id}/${project.staging.id}`, [
      { op: 'replace', path: '/changePermissions/areApprovalsRequired', value },
    ]);
  const unchanged = async (attempt: () => Promise<unknown>) => {
    assert.deepEqual(await api.recorded(attempt), []);
    assert.equal((await api.get(path)).status, 200);
  };
  await requireApprovals(true);
  await unchanged(async () => refused(await withContents(project), 403, /changes in staging need an approval/));
  await requireApprovals(false);
  await api.patch(`/workspaces/${project.id}`, [{ op: 'replace', path: '/requiresTitleAndComments', value: true }]);
  await unchanged(async () => assert.equal((await withContents(project)).status, 400));
  assert.equal((await withContents(project, '&title=Over&comment=Sold')).status, 200);
});

test('a key deletes no contents that its roles do not let it delete one by one', async () => {
  const roles = ['API_WORKSPACE_ADMIN', 'API_APIKEY', 'API_FEATURE_FLAG_EDITOR', 'API_SEGMENT_EDITOR'] as const;
  const refusals = [
    ['API_APIKEY', 'apiKey.write'],
    ['API_FEATURE_FLAG_EDITOR', 'flag.write'],
    ['API_SEGMENT_EDITOR', 'segment.write'],
  ] as const;
  const project = await aFullProject(api);
  const scope = { kind: 'project', projectId: project.id } as const;
  const as = async (without?: string) => ({ as: await api.key({ roles: roles.filter((r) => r !== without), scope }) });
  const path = `/workspaces/${project.id}?contents=delete`;
  for (const [role, permission] of refusals) {
    const request = await as(role);
    assert.deepEqual(await api.recorded(async () => lacks(await api.delete(path, request), permission)), []);
  }
  const [administrator, all] = [await as(), { as: await api.key({ roles: ['API_ALL_GRANTED'], scope }) }];
  assert.equal((await api.delete(path, administrator)).status, 200);
  assert.equal((await api.delete(path, all)).status, 401, 'it was a key of the project');
});

test('contents that a project does not have need no role', async () => {
  const { body } = await api.post('/workspaces', { name: uniqueName('project') });
  const environment = await api.post(`/environments/ws/${body.id}`, { name: 'staging' });
  for (const { id } of environment.body.apiTokens) await api.delete(`/apiKeys/${id}`);
  const request = {
    as: await api.key({ roles: ['API_WORKSPACE_ADMIN'], scope: { kind: 'project', projectId: body.id } }),
  };
  const path = `/workspaces/${body.id}?contents=delete`;
  const flagSet = await api.post('/internal/api/v3/flag-sets', { name: aSetName(), workspace: { id: body.id } });
  lacks(await api.delete(path, request), 'flag.write');
  await api.delete(`/internal/api/v3/flag-sets/${flagSet.body.id}`);
  const { name } = await aSegment(api, body);
  lacks(await api.delete(path, request), 'segment.write');
  await api.delete(`/segments/ws/${body.id}/${name}`);
  assert.equal((await api.delete(path, request)).status, 200);
});

test('a project with very many flags is not deleted in one go', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  await copiesOfFlag(api, flag, 5_000);
  refused(
    await withContents(project),
    400,
    `Project ${project.name} has more than 5000 flags, definitions and segments`,
  );
  await api.delete(`/splits/ws/${project.id}/${flag.name}`);
  assert.equal((await withContents(project)).status, 200);
});

test('segments, and where they are active, count as well', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const { name } = await aSegment(api, project, [project.staging]);
  const first = await api.store.one<{ id: string }>(sql`select id from segments where name = ${name}`);
  const columns = sql`project_id, traffic_type_id, kind, description, creator_type, creator_id, creator_name, created_at`;
  const place = sql`environment_id, change_number, key_count, created_at, updated_at`;
  const numbers = sql`
    with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 2499)`;
  await api.store.write(async (tx) => {
    await tx.run(sql`
      ${numbers} insert into segments (id, name, ${columns})
      select id || '-' || number, name || '_' || number, ${columns} from segments cross join numbers where id = ${first?.id}`);
    await tx.run(sql`
      ${numbers} insert into segment_environments (segment_id, ${place})
      select segment_id || '-' || number, ${place} from segment_environments cross join numbers where segment_id = ${first?.id}`);
  });
  refused(await withContents(project), 400, / has more than 5000 flags, definitions and segments$/);
  await api.delete(`/splits/ws/${project.id}/${flag.name}`);
  const actions = await api.recorded(async () => {
    const { status, text } = await withContents(project);
    assert.equal(status, 200, text);
  });
  assert.equal(actions.filter((action) => action.startsWith('segment.')).length, 5_000);
});
