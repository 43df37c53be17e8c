/**
 * Two projects that must not know of each other, and one of every kind of principal. Plain data, so that another
 * process can ask the same questions of a copy of the database.
 */
import assert from 'node:assert/strict';
import { pino } from 'pino';
import { type Role, roleNames } from '#domain/access.ts';
import { startTraffic } from '#jobs/traffic.ts';
import type { Api, Request } from './app.ts';
import { aDefinition, aFlag, aLargeSegment, aRuleBasedSegment, aSegment, aSetName, uniqueName } from './build.ts';
import type { Place } from './requests.ts';
import { administratorsId, aPerson, fromBrowser, invite, setUpAdministrator } from './session.ts';
import { powers, powersOfMember } from './written-access.ts';

/** A project with everything that can be named in it. */
export interface Side extends Place {
  /** Defined in both environments. */
  readonly flag: { readonly id: string; readonly name: string };
  readonly rolloutStatus: string;
  /** A key of the project that made the flag. */
  readonly actor: string;
  /** Who may see the project, beside administrators: a user by name, and a group. */
  readonly viewer: string;
  readonly groupViewer: string;
  readonly viewers: readonly object[];
  /** Texts that reveal the project if a response contains them. */
  readonly marks: readonly string[];
  /** What betrays its environment `production`. */
  readonly productionMarks: readonly string[];
  /** A key of the project that did nothing: people do not see what was done to keys. */
  readonly keyMarks: readonly string[];
  readonly userMarks: readonly string[];
}

export interface Principal {
  readonly name: string;
  readonly role?: Role;
  readonly request: Request;
  readonly isPerson: boolean;
  /** The permissions, or '*' for all; undefined for who is nobody. */
  readonly may: string | undefined;
  readonly width: 'account' | 'project' | 'environment';
  /** Which sides the principal reaches: their projects, and in `home` all environments or only `staging`. */
  readonly reaches: readonly SideName[];
  readonly onlyStaging: boolean;
  /** Whose viewers the principal sees. */
  readonly seesUsersOf: readonly SideName[];
  /** Texts that no answer to this principal may contain, unless it sent them. */
  readonly mustNotSee: readonly string[];
}

export type SideName = 'home' | 'elsewhere';
export interface World {
  readonly sides: Readonly<Record<SideName, Side>>;
  readonly principals: readonly Principal[];
  readonly adminKey: string;
}

export async function isolationWorld(api: Api): Promise<World> {
  const administrator = await setUpAdministrator(api);
  const teams = [await aTeam(api), await aTeam(api)] as const;
  const [member, outsider, blind] = [await aPerson(api), await aPerson(api), await aPerson(api)];
  const teammate = await aPerson(api, { groups: [teams[0]] });
  const guest = await invite(api, { groups: [teams[1]] });
  const listedKeys = await Promise.all(narrowedRoles.map((role) => aKeyToList(api, role)));
  const home = await aSide(api, { viewer: member, team: teams[0], groupViewer: teammate, keys: listedKeys });
  const elsewhere = await aSide(api, { viewer: outsider, team: teams[1], groupViewer: guest, keys: [] });
  await closeDefault(api);
  const marks = (side: Side) => [...side.marks, ...side.productionMarks, ...side.keyMarks];
  const people = (reaches: readonly SideName[], isAdministrator = false) => ({
    isPerson: true,
    may: isAdministrator ? '*' : powersOfMember,
    width: isAdministrator ? ('account' as const) : ('project' as const),
    reaches,
    onlyStaging: false,
    seesUsersOf: both,
    mustNotSee: isAdministrator ? [] : hiddenFrom(reaches),
  });
  const hiddenFrom = (reaches: readonly SideName[]) => [
    ...(reaches.includes('home') ? home.keyMarks : marks(home)),
    ...(reaches.includes('elsewhere') ? elsewhere.keyMarks : marks(elsewhere)),
  ];
  const principals: Principal[] = [
    { name: 'an administrator', request: administrator.signedIn, ...people(both, true) },
    { name: 'a member whom the project lists', request: member.signedIn, ...people(['home']) },
    { name: 'a member whose group the project lists', request: teammate.signedIn, ...people(['home']) },
    { name: 'a member of the other project', request: outsider.signedIn, ...people(['elsewhere']) },
    { name: 'a member without a project', request: blind.signedIn, ...people([]) },
    { name: 'nobody', request: { as: null }, ...nobody(hiddenFrom([])) },
    { name: 'somebody signed out', request: fromBrowser('burgee_session=nothing'), ...nobody(hiddenFrom([])) },
    { name: 'an SDK key', request: { as: await anSdkKey(api, home) }, ...nobody(hiddenFrom([])) },
  ];
  for (const role of roleNames) principals.push(...(await keysOf(api, role, { home, elsewhere, marks })));
  for (const { role, text } of listedKeys) {
    principals.push({
      role,
      isPerson: false,
      may: powers[role],
      request: { as: text },
      name: `an account key with ${role} that the project lists`,
      width: 'account',
      reaches: ['home'],
      onlyStaging: false,
      seesUsersOf: both,
      mustNotSee: marks(elsewhere),
    });
  }
  return { sides: { home, elsewhere }, principals, adminKey: api.adminKey };
}

/** The project of the first start is open to everyone; once it is restricted, someone can have no project at all. */
async function closeDefault(api: Api): Promise<void> {
  const { body: found } = await api.get('/workspaces?name=Default');
  const answer = await api.put('/restrictions', {
    resource: { id: found.objects[0].id, type: 'workspace' },
    operations: { view: true },
    resourcePermissions: { view: [{ id: await administratorsId(api), type: 'group' }] },
  });
  assert.equal(answer.status, 200, answer.text);
}

/** Account-wide keys with these roles see a restricted project only if it lists them. */
const isNarrowed = (role: Role) => role !== 'API_ALL_GRANTED' && !powers[role].split(' ').includes('restriction.write');
const narrowedRoles = roleNames.filter(isNarrowed);

async function aKeyToList(api: Api, role: Role) {
  const { body } = await api.post('/apiKeys', { name: `listed ${role}`, apiKeyType: 'admin', roles: [role] });
  return { role, id: body.id as string, text: body.key as string };
}

const both: readonly SideName[] = ['home', 'elsewhere'];

const nobody = (mustNotSee: readonly string[]) => ({
  isPerson: false,
  may: undefined,
  width: 'account' as const,
  reaches: [],
  onlyStaging: false,
  seesUsersOf: [],
  mustNotSee,
});

const aTeam = async (api: Api): Promise<string> => (await api.post('/groups', { name: uniqueName('team') })).body.id;

/** A key of the role for the account, for the project `home`, and for its environment `staging`. */
async function keysOf(
  api: Api,
  role: Role,
  { home, elsewhere, marks }: { home: Side; elsewhere: Side; marks: (side: Side) => string[] },
): Promise<Principal[]> {
  const project = { kind: 'project', projectId: home.id } as const;
  const environment = { kind: 'environment', projectId: home.id, environmentIds: [home.staging.id] } as const;
  const shared = { role, isPerson: false, may: powers[role] };
  const foreign = [...marks(elsewhere), ...elsewhere.userMarks];
  return [
    {
      ...shared,
      name: `an account key with ${role}`,
      request: { as: await api.key({ roles: [role] }) },
      width: 'account',
      reaches: isNarrowed(role) ? [] : both,
      onlyStaging: false,
      seesUsersOf: both,
      mustNotSee: isNarrowed(role) ? [...marks(home), ...marks(elsewhere)] : [],
    },
    {
      ...shared,
      name: `a project key with ${role}`,
      request: { as: await api.key({ roles: [role], scope: project }) },
      width: 'project',
      reaches: ['home'],
      onlyStaging: false,
      seesUsersOf: ['home'],
      mustNotSee: foreign,
    },
    {
      ...shared,
      name: `an environment key with ${role}`,
      request: { as: await api.key({ roles: [role], scope: environment }) },
      width: 'environment',
      reaches: ['home'],
      onlyStaging: true,
      seesUsersOf: ['home'],
      mustNotSee: [...foreign, ...home.productionMarks, ...home.keyMarks],
    },
  ];
}

const anSdkKey = (api: Api, { id, staging }: Pick<Side, 'id' | 'staging'>) =>
  api.key({
    type: 'server_side',
    roles: [],
    scope: { kind: 'environment', projectId: id, environmentIds: [staging.id] },
  });

/** An SDK reports an evaluation in each environment, and it is written. */
async function evaluate(
  api: Api,
  { flag, production, ...side }: Pick<Side, 'id' | 'staging' | 'production'> & { flag: string },
) {
  for (const staging of [side.staging, production]) {
    const key = await anSdkKey(api, { ...side, staging });
    const body = [{ f: flag, i: [{ k: 'user-1', t: 'on', m: Date.now(), r: 'default rule' }] }];
    const { status } = await api.call('POST', '/api/testImpressions/bulk', { as: key, body });
    assert.equal(status, 200);
  }
  await startTraffic({ store: api.store, log: pino({ level: 'silent' }), traffic: api.delivery.traffic }).stop();
}

/** A name that is no part of another. */
const aMark = (word: string) => `${uniqueName(word)}-mark`;

type Named = { readonly id: string; readonly email: string };

async function aSide(
  api: Api,
  {
    viewer,
    team,
    groupViewer,
    keys,
  }: { viewer: Named; team: string; groupViewer: Named; keys: readonly { readonly id: string }[] },
): Promise<Side> {
  const { body: project } = await api.post('/workspaces', { name: aMark('project') });
  const environment = async (production: boolean) =>
    (await api.post(`/environments/ws/${project.id}`, { name: aMark('env'), production })).body;
  const [staging, production] = [await environment(false), await environment(true)];
  const scope = { kind: 'project', projectId: project.id } as const;
  const makerKey = await api.key({ scope });
  const flag = await aFlag({ post: (path, body) => api.post(path, body, { as: makerKey }) }, project, aMark('flag'));
  const definition = (id: string) =>
    api.post(`/splits/ws/${project.id}/${flag.name}/environments/${id}`, aDefinition());
  for (const { id } of [staging, production]) assert.equal((await definition(id)).status, 200);
  await evaluate(api, { id: project.id, staging, production, flag: flag.name });
  const { name: segment } = await aSegment(api, project, [staging, production], aMark('segment'));
  for (const { id } of [staging, production]) {
    const { status } = await api.put(`/segments/${id}/${segment}/uploadKeys`, { keys: ['user-1'] });
    assert.equal(status, 200);
  }
  const { name: ruleBased } = await aRuleBasedSegment(api, project, [staging, production], aMark('rules'));
  const large = await aLargeSegment(api, project, [staging, production], aMark('large'));
  const { name: ofProduction } = await aSegment(api, project, [production], aMark('segment'));
  const attribute = aMark('attribute');
  const declared = await api.post(`/schema/ws/${project.id}/trafficTypes/user`, { id: attribute });
  assert.equal(declared.status, 200, declared.text);
  const flagSet = `${aSetName()}_mark`;
  const made = await api.post('/internal/api/v3/flag-sets', { name: flagSet, workspace: { id: project.id } });
  assert.equal(made.status, 200, made.text);
  const view = aMark('view');
  const kept = await api.put(`/views/ws/${project.id}/shared/${view}`, { query: '', columns: [] });
  assert.equal(kept.status, 200, kept.text);
  const drafts: string[] = [];
  for (const environment of [staging.id, production.id]) {
    const operations = [{ environment, flag: flag.name, edit: { kind: 'kill' } }];
    const { status, body } = await api.post('/changesets', { workspace: { id: project.id }, operations });
    assert.equal(status, 200);
    drafts.push(body.id);
  }
  const statuses: { id: string }[] = (await api.get(`/rolloutStatuses/ws/${project.id}`)).body;
  const rolloutStatus = statuses.at(-1)?.id ?? assert.fail('no status');
  const patched = await api.patch(`/splits/ws/${project.id}/${flag.name}`, [
    { op: 'replace', path: '/rolloutStatus/id', value: rolloutStatus },
    { op: 'add', path: '/tags/-', value: 'everywhere' },
  ]);
  assert.equal(patched.status, 200, patched.text);
  const { body: trafficTypes } = await api.get(`/trafficTypes/ws/${project.id}`);
  const { body: idleKey } = await api.post('/apiKeys', { name: 'idle', apiKeyType: 'admin', workspace: project });
  const viewers = [
    { id: await administratorsId(api), type: 'group' },
    { id: viewer.id, type: 'user' },
    { id: team, type: 'group' },
    ...keys.map(({ id }) => ({ id, type: 'api_key' })),
  ];
  const resource = { id: project.id, type: 'workspace' };
  const restriction = { resource, operations: { view: true }, resourcePermissions: { view: viewers } };
  assert.equal((await api.put('/restrictions', restriction)).status, 200);
  const { body: newest } = await api.get(`/auditLogs?objectId=${flag.id}&limit=200`);
  return {
    id: project.id,
    name: project.name,
    staging,
    production,
    environment: staging,
    flag,
    viewer: viewer.id,
    groupViewer: groupViewer.id,
    viewers,
    rolloutStatus,
    actor: newest.data.at(-1).editor.id,
    marks: [project.id, project.name, flag.id, flag.name, staging.id, staging.name, trafficTypes[0].id].concat(
      [segment, ruleBased, large.name, attribute, flagSet, view],
      large.changeRequests.slice(0, 1),
      drafts.slice(0, 1),
      statuses.map(({ id }) => id),
    ),
    productionMarks: [
      production.id,
      production.name,
      ofProduction,
      ...large.changeRequests.slice(1),
      ...drafts.slice(1),
    ],
    keyMarks: [idleKey.id],
    userMarks: [viewer, groupViewer].flatMap(({ id, email }) => [id, email]),
  };
}
