/** Objects that are deleted through one node while something is added to them through another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../support/app.ts';
import { aDefinition, aFlag, aProject, uniqueName } from '../support/build.ts';
import { newDatabase } from '../support/databases.ts';
import { countWaiting, hold } from '../support/locks.ts';
import { type Client, startTwoNodes } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { until } from '../support/until.ts';

const { databaseUrl } = await newDatabase();
const burgee = anInstallation({ databaseUrl });
const [one, other] = await startTwoNodes(burgee);
const administratorsId: string = (await one.get('/groups?limit=1')).body.objects[0].id;

/** A reference that leads nowhere; also those that no foreign key holds. */
const dangling = `
  select 'flag without traffic type' from flags f
   where not exists (select 1 from traffic_types t where t.id = f.traffic_type_id)
  union all select 'definition without environment' from definitions d
   where not exists (select 1 from environments e where e.id = d.environment_id)
  union all select 'definition without flag' from definitions d
   where not exists (select 1 from flags f where f.id = d.flag_id)
  union all select 'membership without group' from memberships m
   where not exists (select 1 from groups g where g.id = m.group_id)
  union all select 'membership without user' from memberships m
   where not exists (select 1 from users u where u.id = m.user_id)
  union all select 'key without environment' from api_key_environments k
   where not exists (select 1 from environments e where e.id = k.environment_id)
  union all select 'key of a project that is gone' from api_keys k
   where k.project_id is not null and not exists (select 1 from projects p where p.id = k.project_id)
  union all select 'viewer who is gone' from project_viewers v
   where not exists (select 1 from groups g where g.id = v.viewer_id union all
                     select 1 from users u where u.id = v.viewer_id)
  union all select 'environment without project' from environments e
   where not exists (select 1 from projects p where p.id = e.project_id)
  union all select 'traffic type without project' from traffic_types t
   where not exists (select 1 from projects p where p.id = t.project_id)`;

type Ask = (client: Client) => Promise<Answer>;

/** Each creates something, and returns how to delete it and what is added to it meanwhile. */
const races: Record<string, () => Promise<{ remove: Ask; enter: Ask[] }>> = {
  'a traffic type and flags of it': async () => {
    const project = await aProject(one);
    const { body: type } = await one.post(`/trafficTypes/ws/${project.id}`, { name: uniqueName('kind') });
    return {
      remove: (client) => client.delete(`/trafficTypes/${type.id}`),
      enter: [(client) => client.post(`/splits/ws/${project.id}/trafficTypes/${type.id}`, { name: uniqueName() })],
    };
  },
  'an environment, its definitions and its keys': async () => {
    const project = await aProject(one);
    const { staging } = project;
    for (const { id } of (staging as unknown as { apiTokens: { id: string }[] }).apiTokens) {
      await one.delete(`/apiKeys/${id}`);
    }
    const flag = await aFlag(one, project);
    const key = {
      name: uniqueName('key'),
      apiKeyType: 'server_side',
      workspace: { type: 'workspace', id: project.id },
      environments: [{ type: 'environment', id: staging.id }],
    };
    return {
      remove: (client) => client.delete(`/environments/ws/${project.id}/${staging.id}`),
      enter: [
        (client) => client.post(`/splits/ws/${project.id}/${flag.name}/environments/${staging.id}`, aDefinition()),
        (client) => client.post('/apiKeys', key),
      ],
    };
  },
  'a group, its members and the projects that list it': async () => {
    const project = await aProject(one);
    const { body: group } = await one.post('/groups', { name: uniqueName('group') });
    const { body: user } = await one.post('/users', { email: `${uniqueName('member')}@example.com` });
    const groups = [{ id: group.id, type: 'group' }];
    const restriction = {
      resource: { id: project.id, type: 'workspace' },
      operations: { view: true },
      resourcePermissions: { view: [{ id: administratorsId, type: 'group' }, ...groups] },
    };
    return {
      remove: (client) => client.delete(`/groups/${group.id}`),
      enter: [
        (client) => client.post('/users', { email: `${uniqueName('new')}@example.com`, groups }),
        (client) => client.patch(`/users/${user.id}`, [{ op: 'add', path: '/groups/0', value: groups[0] }]),
        (client) => client.ask('PUT', '/restrictions', { body: restriction }),
      ],
    };
  },
  'a project and what it holds': async () => {
    const { body: project } = await one.post('/workspaces', { name: uniqueName('empty') });
    const { body: types } = await one.get(`/trafficTypes/ws/${project.id}`);
    for (const { id } of types) await one.delete(`/trafficTypes/${id}`);
    const key = {
      name: uniqueName('key'),
      apiKeyType: 'admin',
      roles: ['API_ALL_GRANTED'],
      workspace: { type: 'workspace', id: project.id },
    };
    return {
      remove: (client) => client.delete(`/workspaces/${project.id}`),
      enter: [
        (client) => client.post(`/environments/ws/${project.id}`, { name: uniqueName('env') }),
        (client) => client.post(`/trafficTypes/ws/${project.id}`, { name: uniqueName('kind') }),
        (client) => client.post('/apiKeys', key),
      ],
    };
  },
};
/** Stops each in the middle of its transaction, one after the other, then lets all continue at once. */
async function entangled(asks: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
  // The audit entry is the last that a command writes.
  const release = await hold(databaseUrl, 'lock table changes in exclusive mode');
  const asked: Promise<Answer>[] = [];
  for (const ask of asks) {
    asked.push(ask());
    await until('all wait for each other', async () => (await countWaiting(burgee)) >= asked.length);
  }
  await release();
  return Promise.all(asked);
}

const atOnce = (asks: readonly (() => Promise<Answer>)[]) => Promise.all(asks.map((ask) => ask()));

for (const [things, make] of Object.entries(races)) {
  for (const [how, race] of Object.entries({ entangled, atOnce })) {
    test(`deleted through one node while used through the other (${how}): ${things}`, async () => {
      for (let round = 0; round < 8; round += 1) {
        const { remove, enter } = await make();
        const removing = () => remove(one);
        const entering = enter.map((ask) => () => ask(other));
        // Neither side is always first.
        const isFirst = round % 2 === 0;
        const answers = await race(isFirst ? [removing, ...entering] : [...entering, removing]);
        for (const { status, text } of answers) assert.ok(status < 500, text);
      }
      assert.deepEqual(await burgee.rows(dangling), []);
    });
  }
}
