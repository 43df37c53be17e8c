/** The smallest valid objects, each with a unique name, so that tests share no rows. */

import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { defaultPolicy } from '#domain/cleanup.ts';
import type { Store } from '#store/sql.ts';
import { addCounts, addEvents, saveEventTypes, saveLastTraffic } from '#store/traffic.ts';
import type { Answer, Api, Calls } from './app.ts';

/** Anything that sends requests: to the test's server, or to a real one. */
type Asker = Pick<Api, 'post'>;

let made = 0;
/** A name that no other test has: starts with a letter and fits every kind of thing. */
export function uniqueName(word = 'thing'): string {
  made += 1;
  return `${word}-${made}`;
}

/** A name for a flag set, in which `-` is not allowed. */
export const aSetName = (): string => uniqueName('set').replace('-', '_');

/** For a process that goes on with the database of another: names from here on are new there, too. */
export function skipNames(count: number): void {
  made += count;
}

export interface ProjectFixture {
  readonly id: string;
  readonly name: string;
  /** Not production. */
  readonly staging: { readonly id: string; readonly name: string };
  readonly production: { readonly id: string; readonly name: string };
}

/** A project with two environments and the traffic type `user`. */
export async function aProject(
  api: Asker,
  settings: { name?: string; requiresTitleAndComments?: boolean } = {},
): Promise<ProjectFixture> {
  const { body: project } = await api.post('/workspaces', { name: uniqueName('project'), ...settings });
  const { body: staging } = await api.post(`/environments/ws/${project.id}`, { name: 'staging' });
  const { body: production } = await api.post(`/environments/ws/${project.id}`, {
    name: 'production',
    production: true,
  });
  return { id: project.id, name: project.name, staging, production };
}

/** A flag of traffic type `user`, defined nowhere. */
export async function aFlag(api: Asker, project: { id: string }, name = uniqueName('flag')) {
  const { body } = await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name });
  return body as { id: string; name: string };
}

/** A local time in thirty days, for schedules. */
export const inThirtyDays = () => ({
  time: new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 16),
  zone: 'UTC',
});

/** A report of one line that names the flag. */
export const aCodeReport = (flag: string) => ({
  repository: uniqueName('repository'),
  branch: 'main',
  references: [{ flag, path: 'src/cart.ts', line: 12 }],
});

/** A standard segment of traffic type `user`, active in the environments. */
export async function aSegment(
  api: Asker,
  project: { id: string },
  environments: readonly { id: string }[] = [],
  name = uniqueName('segment'),
) {
  await api.post(`/segments/ws/${project.id}/trafficTypes/user`, { name });
  for (const { id } of environments) await api.post(`/segments/${id}/${name}`);
  return { name };
}

/** A rule-based segment of traffic type `user`, active in the environments. */
export async function aRuleBasedSegment(
  api: Asker,
  project: { id: string },
  environments: readonly { id: string }[] = [],
  name = uniqueName('rules'),
) {
  await api.post(`/rule-based-segments/ws/${project.id}/trafficTypes/user`, { name });
  for (const { id } of environments) await api.post(`/rule-based-segments/${id}/${name}`);
  return { name };
}

/** A large segment of traffic type `user` with the key `user-1` in each environment, uploaded by a change request each. */
export async function aLargeSegment(
  api: Pick<Api, 'post' | 'put'>,
  project: { id: string },
  environments: readonly { id: string }[],
  name = uniqueName('large'),
) {
  await api.post(`/large-segments/ws/${project.id}/trafficTypes/user`, { name });
  const changeRequests: string[] = [];
  for (const { id } of environments) {
    await api.post(`/large-segments/${id}/${name}`);
    const upload = { largeSegment: { name }, operationType: 'UPLOAD' };
    const { body } = await api.post(`/changeRequests/ws/${project.id}/environments/${id}`, upload);
    const address = new URL(body.transactionMetadata.url).pathname;
    const { status, text } = await api.put(address, undefined, { as: null, text: 'user-1\n' });
    assert.equal(status, 200, text);
    changeRequests.push(body.id);
  }
  return { name, changeRequests };
}

/**
 * Segments of all kinds, with keys and what names them, a flag set, an attribute, an identity, a scheduled changeset, a kept flag
 * that code names: rows for tests of whole databases.
 */
export async function aFullProject(
  api: Pick<Api, 'get' | 'post' | 'put' | 'patch' | 'delete'>,
): Promise<ProjectFixture> {
  const project = await aProject(api);
  const { id, staging } = project;
  const done = async (answer: Promise<Answer>) => {
    const { status, text, body } = await answer;
    assert.equal(status, 200, text);
    return body;
  };
  const { name } = await aSegment(api, project, [staging]);
  const keys = Array.from({ length: 600 }, (_, index) => `user-${index}`);
  await done(api.put(`/segments/${staging.id}/${name}/uploadKeys`, { keys }));
  await done(api.post(`/tags/ws/${id}/object/${name}/objecttype/Segment`, ['beta']));
  const { flag } = await aDefinedFlag(api, project, {
    treatments: [{ name: 'on', segments: [name] }, { name: 'off' }],
  });
  const operations = [{ environment: staging.id, flag: flag.name, edit: { kind: 'kill' } }];
  const changeset = await done(api.post('/changesets', { workspace: { id }, operations }));
  await done(api.post(`/changesets/${changeset.id}/schedule`, { at: inThirtyDays() }));
  await done(api.put(`/splits/ws/${id}/${flag.name}/keep`, {}));
  await done(api.put(`/cleanup/ws/${id}/policy`, { ...defaultPolicy, ageDays: 60 }));
  await done(api.put(`/code-references/ws/${id}`, aCodeReport(flag.name)));
  const deactivated = await aSegment(api, project, [staging]);
  await done(api.delete(`/segments/${staging.id}/${deactivated.name}`));
  const { name: rules } = await aRuleBasedSegment(api, project, [staging]);
  const definition = { excludedSegments: [{ name }], excludedKeys: ['user-1'] };
  await done(api.put(`/rule-based-segments/ws/${id}/${rules}/environments/${staging.id}`, definition));
  await aLargeSegment(api, project, [staging]);
  for (const value of ['formerly', staging.name]) {
    await done(api.patch(`/environments/ws/${id}/${staging.id}`, [{ op: 'replace', path: '/name', value }]));
  }
  for (const value of [uniqueName('formerly'), project.name]) {
    await done(api.patch(`/workspaces/${id}`, [{ op: 'replace', path: '/name', value }]));
  }
  await done(api.post('/internal/api/v3/flag-sets', { name: aSetName(), workspace: { id } }));
  await done(api.put(`/views/ws/${id}/shared/${uniqueName('view')}`, { query: 'tag=beta', columns: ['-tags'] }));
  await done(api.post(`/schema/ws/${id}/trafficTypes/user`, { id: 'plan' }));
  const [trafficType] = await done(api.get(`/trafficTypes/ws/${id}`));
  const identities = `/trafficTypes/${trafficType.id}/environments/${staging.id}/identities`;
  await done(api.post(identities, [{ key: 'user-1', values: { plan: 'gold' } }]));
  return project;
}

/** Many flags like this one, without audit entries: creating each through the API would take minutes. */
export const copiesOfFlag = ({ store }: Pick<Api, 'store'>, { id }: { id: string }, count: number) => {
  const columns = sql`project_id, traffic_type_id, rollout_status_id, description, rollout_status_at, owners, revision,
    created_at`;
  return store.write((tx) =>
    tx.run(sql`
      with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
      insert into flags (id, name, ${columns})
      select id || '-' || number, name || '_' || number, ${columns} from flags cross join numbers where id = ${id}`),
  );
};

/** A body that defines a flag with the treatments `on` and `off`. */
export const aDefinition = (changes: Record<string, unknown> = {}) => ({
  treatments: [{ name: 'on' }, { name: 'off' }],
  defaultTreatment: 'off',
  defaultRule: [{ treatment: 'off', size: 100 }],
  ...changes,
});

/** A definition of an audit entry without what only the log has of it. */
export function asAnswered(recorded: unknown): unknown {
  const {
    seed: _,
    trafficAllocationSeed: __,
    algo: ___,
    changeNumber: ____,
    ...definition
  } = recorded as Record<string, unknown>;
  return definition;
}

/** A new flag with a definition in the project's staging; returns the path of the definition too. */
export async function aDefinedFlag(api: Asker, project: ProjectFixture, changes: Record<string, unknown> = {}) {
  const flag = await aFlag(api, project);
  const path = `/splits/ws/${project.id}/${flag.name}/environments/${project.staging.id}`;
  const { body: definition } = await api.post(path, aDefinition(changes));
  return { flag, path, definition };
}

/** Fills every access list of the first project: with a group, the user and a key. */
export async function fillLists(
  call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Answer['body'] }>,
  userId: string,
): Promise<void> {
  const [group, key] = [
    await call('POST', '/groups', { name: 'Payments' }),
    await call('POST', '/apiKeys', { name: 'Deploy', apiKeyType: 'admin', roles: ['API_FEATURE_FLAG_EDITOR'] }),
  ];
  const administrators = (await call('GET', '/groups?limit=1')).body.objects[0].id;
  const grantees = [
    { id: group.body.id, type: 'group' },
    { id: userId, type: 'user' },
    { id: key.body.id, type: 'api_key' },
  ];
  const environments = (await call('GET', '/environments/ws/Default')).body as { id: string }[];
  const { status } = await call('PUT', '/workspaces/Default/access', {
    view: { restricted: true, grantees: [{ id: administrators, type: 'group' }, ...grantees] },
    edit: { restricted: true, grantees },
    ownersEdit: true,
    environments: environments.map(({ id }) => ({ id, editors: { restricted: true, grantees }, killers: grantees })),
  });
  assert.equal(status, 200);
}

/** A plan of an import that ends at once. One import runs at a time: it waits for the one before. */
export async function anImport(api: Pick<Calls, 'get'>) {
  while ((await api.get('/imports/latest')).body.state === 'running') await nextTurn();
  return { step: 'plan', source: { file: { text: '{"features":[],"featureStrategies":[]}', project: 'Default' } } };
}

export async function startedImport(api: Pick<Calls, 'get' | 'post'>): Promise<{ id: string }> {
  const { status, body, text } = await api.post('/imports', await anImport(api));
  assert.equal(status, 200, text);
  return body;
}

/** What SDKs reported of a flag: a row in each table of traffic. */
export async function someTraffic(store: Store, environmentId: string, flagId: string): Promise<void> {
  const event = { environmentId, trafficType: 'user', eventType: 'paid', hour: 0 };
  await store.write(async (tx) => {
    await addCounts(tx, [{ environmentId, flagId, hour: 0, treatment: 'on', label: 'default rule', evaluations: 3 }]);
    await saveLastTraffic(tx, [{ environmentId, flagId, lastAt: 1 }]);
    await addEvents(tx, [{ ...event, events: 2, valued: 2, sum: 0.3, squares: 0.05 }]);
    await saveEventTypes(tx, [event]);
  });
}
