/**
 * Everybody who stands differently to the lists of a project × every endpoint in a project × its environments × own and
 * other flags. What each may do is written down here a second time, not taken from the policy.
 */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import sql from 'sql-template-tag';
import { prefix } from '#contract/parts.ts';
import type { Store } from '#store/sql.ts';
import type { Api, Calls, Request } from './app.ts';
import { aDefinition, aFlag, aProject, type ProjectFixture, uniqueName } from './build.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Outcome } from './isolation-matrix.ts';
import { type Tried, triedEndpoints } from './isolation-requests.ts';
import { type Build, requestOf, requestsTo, type Target } from './requests.ts';
import { administratorsId, aPerson, setUpAdministrator } from './session.ts';
import { powers, powersOfMember, rightsOfPermissions } from './written-access.ts';

/** A server, and its database to make people owners of flags. */
export interface RightsServer extends Calls {
  readonly store: Store;
  readonly app: FastifyInstance;
}

type EnvironmentName = 'staging' | 'production';

interface Principal {
  readonly name: string;
  readonly request: Request;
  /** The permissions, or '*' for all. */
  readonly may: string;
  readonly width: 'account' | 'project' | 'environment';
  readonly sees: boolean;
  readonly edits: boolean;
  /** Where they edit definitions, if they edit the project. */
  readonly defines: readonly EnvironmentName[];
  /** Where they are listed to kill. */
  readonly kills: readonly EnvironmentName[];
  readonly owns: boolean;
  readonly onlyProduction: boolean;
}

/** Plain data, so that another process can ask the same of a copy of the database. */
export interface RightsWorld {
  readonly project: ProjectFixture;
  readonly principals: readonly Principal[];
  /** Of every flag that is somebody's own: a user, and a group. */
  readonly owners: readonly object[];
  /** A project that lists one key as viewer and editor, and whose owners may not edit. */
  readonly other: ProjectFixture;
  readonly lateKey: { readonly id: string; readonly text: string };
  readonly administrators: object;
  readonly adminKey: string;
}

const both: readonly EnvironmentName[] = ['staging', 'production'];
const nothing = { edits: false, defines: ['staging'], kills: [], owns: false, onlyProduction: false } as const;

export async function rightsWorld(api: Api): Promise<RightsWorld> {
  const administrator = await setUpAdministrator(api);
  const administrators = { id: await administratorsId(api), type: 'group' };
  const aGroup = async () => ({
    id: (await api.post('/groups', { name: uniqueName('group') })).body.id as string,
    type: 'group',
  });
  const [seeing, editing, defining, onCall, owning] = [
    await aGroup(),
    await aGroup(),
    await aGroup(),
    await aGroup(),
    await aGroup(),
  ];
  const project = await aProject(api);
  const [decoy, other] = [await aProject(api), await aProject(api)];
  const people: Principal[] = [];
  const users = new Map<string, object>();
  const person = async (name: string, groups: readonly { readonly id: string }[], may: Partial<Principal>) => {
    const { id, signedIn } = await aPerson(api, { groups: groups.map((group) => group.id) });
    users.set(name, { id, type: 'user' });
    people.push({ ...nothing, name, request: signedIn, may: powersOfMember, width: 'project', sees: true, ...may });
  };
  await person('a viewer', [seeing], {});
  await person('an outsider', [], { sees: false });
  await person('an editor', [seeing], { edits: true });
  await person('an editor through a group', [seeing, editing], { edits: true });
  await person('an editor of production', [seeing, editing], { edits: true, defines: both });
  await person('an editor of production through a group', [seeing, editing, defining], { edits: true, defines: both });
  await person('an editor of production who does not edit the project', [seeing, defining], { defines: both });
  await person('a killer', [seeing], { kills: ['production'] });
  await person('a killer through a group', [seeing, onCall], { kills: ['production'] });
  await person('a killer who edits the project', [seeing, editing, onCall], { edits: true, kills: ['production'] });
  await person('an owner', [seeing], { owns: true });
  await person('an owner through a group', [seeing, owning], { owns: true });
  await person('an owner who does not see the project', [owning], { owns: true, sees: false });
  const userOf = (name: string) => users.get(name) ?? assert.fail(name);

  const keys: Principal[] = [];
  const keyIds = new Map<string, { id: string; type: string }>();
  const key = async (name: string, place: object, may: Partial<Principal>) => {
    const roles = [may.may ?? 'API_FEATURE_FLAG_EDITOR'] as [keyof typeof powers];
    const { body } = await api.post('/apiKeys', { name, apiKeyType: 'admin', roles, ...place });
    keyIds.set(name, { id: body.id, type: 'api_key' });
    const whole = { ...nothing, name, request: { as: body.key as string }, width: 'account' as const, sees: true };
    keys.push({ ...whole, ...may, may: powers[roles[0]] });
  };
  const inProject = { workspace: { id: project.id } };
  const inProduction = { ...inProject, environments: [{ id: project.production.id }] };
  await key('a key that is not listed', {}, { sees: false });
  await key('a key that sees', {}, {});
  await key('a key that edits', {}, { edits: true });
  await key('a key that edits production', {}, { edits: true, defines: both });
  await key('a key that kills', {}, { kills: ['production'] });
  await key('a key of the project', inProject, { width: 'project' });
  await key('a key of the project that edits', inProject, { width: 'project', edits: true });
  await key('a viewing key of the project that edits', inProject, {
    width: 'project',
    edits: true,
    may: 'API_FEATURE_FLAG_VIEWER',
  });
  await key('a key of production', inProduction, { width: 'environment', onlyProduction: true });
  await key('a key of production that kills', inProduction, {
    width: 'environment',
    onlyProduction: true,
    kills: ['production'],
  });
  await key('an administrative key of the project', inProject, { width: 'project', may: 'API_WORKSPACE_ADMIN' });
  await key('an administrative key of the account', {}, { may: 'API_ADMIN' });
  const keyOf = (name: string) => keyIds.get(name) ?? assert.fail(name);
  const { body: late } = await api.post('/apiKeys', {
    name: 'late',
    apiKeyType: 'admin',
    roles: ['API_FEATURE_FLAG_EDITOR'],
  });

  const set = async ({ id }: ProjectFixture, update: object) => {
    const answer = await api.put(`/workspaces/${id}/access`, update);
    assert.equal(answer.status, 200, answer.text);
  };
  const sighted = ['a key that sees', 'a key that edits', 'a key that edits production', 'a key that kills'].map(keyOf);
  await set(project, {
    view: { restricted: true, grantees: [administrators, seeing, ...sighted] },
    edit: {
      restricted: true,
      grantees: [
        ...[editing, userOf('an editor'), keyOf('a key that edits'), keyOf('a key that edits production')],
        ...[keyOf('a key of the project that edits'), keyOf('a viewing key of the project that edits')],
      ],
    },
    ownersEdit: true,
    environments: [
      {
        id: project.production.id,
        editors: {
          restricted: true,
          grantees: [defining, userOf('an editor of production'), keyOf('a key that edits production')],
        },
        killers: [onCall, userOf('a killer'), keyOf('a key that kills'), keyOf('a key of production that kills')],
      },
    ],
  });
  // What another project or another environment allows does not count here.
  const lateKey = { id: late.id, type: 'api_key' };
  const everybody = [...users.values(), ...['a key that sees', 'a key that is not listed'].map(keyOf), lateKey];
  await set(decoy, {
    view: { restricted: true, grantees: [administrators, ...everybody] },
    edit: { restricted: true, grantees: everybody },
    environments: [{ id: decoy.production.id, editors: { restricted: true, grantees: everybody }, killers: everybody }],
  });
  await set(other, {
    view: { restricted: true, grantees: [administrators, seeing, lateKey] },
    edit: { restricted: true, grantees: [lateKey] },
  });
  return {
    principals: [
      {
        ...nothing,
        name: 'an administrator',
        request: administrator.signedIn,
        may: '*',
        width: 'account',
        sees: true,
      },
      ...people,
      ...keys,
    ],
    project,
    other,
    administrators,
    adminKey: api.adminKey,
    owners: [userOf('an owner'), owning],
    lateKey: { id: late.id, text: late.key },
  };
}

const width = { environment: 0, project: 1, account: 2 } as const;
const rightOf = new Map(
  rightsOfPermissions
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [permission: string, right: string]),
);

interface Place {
  readonly environment: EnvironmentName;
  readonly isOwn: boolean;
}

const isDuplicate = ({ endpoint }: Pick<Tried, 'endpoint'>) => endpoint.path.endsWith('/:flag/duplicate');

/** A change request names what it changes in its body. Here it is about segments; only that with keys is published. */
const isSubmission = ({ endpoint }: Pick<Tried, 'endpoint'>) => endpoint.path.startsWith('/changeRequests/ws/');

/** The response that the principal must get; undefined: that of a permitted request. */
function refusalOf(
  principal: Principal,
  { endpoint, needs, width: least }: Tried,
  place: Place,
): 403 | 404 | undefined {
  const { may, width: reach, sees, edits, defines, kills, owns, onlyProduction } = principal;
  const has = (permission: string) => may === '*' || may.split(' ').includes(permission);
  if (!has(needs) || width[reach] < width[least as keyof typeof width]) return 403;
  if (has('restriction.write') && reach !== 'environment') return undefined;
  if (!sees) return 404;
  if (endpoint.path.includes(':environment') && onlyProduction && place.environment !== 'production') return 404;
  if (isSubmission({ endpoint }) && !has('segmentContent.write')) return 403;
  // Owners may change their flags, not create others.
  const isFree = owns && place.isOwn && endpoint.path.includes(':flag') && !isDuplicate({ endpoint });
  const edit = isFree || edits;
  const define = isFree || (edits && defines.includes(place.environment));
  const rights: Readonly<Record<string, boolean>> = {
    view: true,
    edit,
    define,
    kill: define || kills.includes(place.environment),
  };
  // The definitions of a flag are deleted with it.
  const isDeletion = endpoint.method === 'DELETE' && endpoint.path === '/splits/ws/:project/:flag';
  const isPublished = isSubmission({ endpoint }) && endpoint.path.endsWith('/file');
  const right = isDeletion || isPublished ? 'define' : (rightOf.get(needs) ?? assert.fail(`no right for ${needs}`));
  return rights[right] ? undefined : 403;
}

/** Sends all requests, and returns what was wrong. */
export async function runRights(
  server: RightsServer,
  world: RightsWorld,
  { untilFailure = false, part }: { readonly untilFailure?: boolean; readonly part?: string } = {},
): Promise<Outcome> {
  const outcome: Outcome = { cases: 0, failures: [] };
  await endLate(server, world, outcome);
  const tried = triedEndpoints(server).filter(
    ({ endpoint, name }) => endpoint.path.includes(':project') && (part === undefined || name.startsWith(`${part}.`)),
  );
  for (const one of tried) {
    for (const place of placesOf(one)) {
      if (untilFailure && outcome.failures.length > 0) return outcome;
      await askAt(server, world, { tried: one, place, outcome });
    }
  }
  return outcome;
}

/** Where nothing of an environment or a flag is named, it makes no difference. */
function placesOf({ endpoint: { path } }: Tried): Place[] {
  const isOf = (word: string) => path.includes(word);
  const environments = isOf(':environment') || path === '/splits/ws/:project/:flag' ? both : (['production'] as const);
  return environments.flatMap((environment) =>
    (isOf(':flag') ? [true, false] : [false]).map((isOwn) => ({ environment, isOwn })),
  );
}

interface Question {
  readonly tried: Tried;
  readonly place: Place;
  readonly outcome: Outcome;
}

async function askAt(server: RightsServer, world: RightsWorld, { tried, place, outcome }: Question): Promise<void> {
  const { endpoint, name } = tried;
  const at = { ...world.project, environment: world.project[place.environment] };
  const target = async (): Promise<Target> => {
    const built = await buildOf(server, name)(at);
    const flagId = built.params?.flag;
    if (place.isOwn && flagId !== undefined) await makeOwned(server, world, flagId);
    return built;
  };
  const send = async ({ request, name: who }: Principal, sent: Target, expected: number) => {
    const { path, text } = requestOf(endpoint, at, sent);
    const answer = await server.call(endpoint.method, tried.base + path, {
      ...request,
      ...(text === undefined ? {} : { text }),
    });
    outcome.cases += 1;
    if (answer.status === expected) return;
    const where = `${place.environment}, ${place.isOwn ? 'own' : 'not own'}`;
    outcome.failures.push(
      `${endpoint.method} ${endpoint.path} as ${who} (${where}): not ${expected} but ${answer.status} ${answer.text.slice(0, 300)}`,
    );
  };
  const shared = await target();
  const before = await fingerprintOf(server.store);
  const allowed: Principal[] = [];
  for (const principal of world.principals) {
    const refusal = refusalOf(principal, tried, place);
    if (refusal === undefined) allowed.push(principal);
    else {
      await send(principal, shared, refusal);
      // Refused before the body is looked at, except owners, whom the path lets in, and what only the body names.
      const isLate = isSubmission(tried) || (isDuplicate(tried) && place.isOwn && principal.owns);
      if (shared.body !== undefined && !isLate) await send(principal, { ...shared, text: '{' }, refusal);
    }
  }
  if ((await fingerprintOf(server.store)) !== before) {
    outcome.failures.push(`${endpoint.method} ${endpoint.path}: refused requests changed something`);
  }
  const status = name === 'projects.deleteProject' ? 400 : 200;
  for (const principal of allowed) await send(principal, endpoint.method === 'GET' ? shared : await target(), status);
}

/** The smallest request of the endpoint that leaves the lists and the project as they are. */
function buildOf(api: Calls, name: string): Build {
  const requests = requestsTo(api) as unknown as Record<string, Record<string, Build>>;
  const [part = '', endpoint = ''] = name.split('.');
  const otherwise: Record<string, Build> = {
    deleteProject: async () => ({}),
    changeProjectAccess: async () => ({ body: {} }),
    deleteFlag: requestsTo(api).definitions.getDefinition,
    announceEditing: async (place) => ({
      ...(await requestsTo(api).definitions.getDefinition(place)),
      body: { editing: false },
    }),
  };
  return otherwise[endpoint] ?? requests[part]?.[endpoint] ?? assert.fail(`no request for ${name}`);
}

const makeOwned = ({ store }: RightsServer, { owners }: RightsWorld, flagId: string) =>
  store.write((tx) => tx.run(sql`update flags set owners = ${JSON.stringify(owners)} where id = ${flagId}`));

/** A right that ends while the body is on its way, and owners where the project does not let them edit. */
async function endLate(server: RightsServer, world: RightsWorld, outcome: Outcome): Promise<void> {
  const { other, lateKey, administrators, principals } = world;
  const flag = await aFlag(server, other);
  await makeOwned(server, world, flag.id);
  const path = `/splits/ws/${other.id}/${flag.name}`;
  const set = (update: object) => server.put(`/workspaces/${other.id}/access`, update);
  const key = { id: lateKey.id, type: 'api_key' };
  const listed = {
    view: { restricted: true, grantees: [administrators, key] },
    edit: { restricted: true, grantees: [key] },
  };
  const expect = (what: string, status: number, expected: number) => {
    outcome.cases += 1;
    if (status !== expected) outcome.failures.push(`${what}: not ${expected} but ${status}`);
  };
  const late = async (meanwhile: () => Promise<unknown>) => {
    const payload = Readable.from(
      (async function* () {
        await meanwhile();
        yield JSON.stringify([]);
      })(),
    );
    // A request that names neither a length nor an encoding has no body.
    const headers = {
      authorization: `Bearer ${lateKey.text}`,
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    };
    return (await server.app.inject({ method: 'PATCH', url: prefix + path, headers, payload })).statusCode;
  };
  const unlisted = { ...listed, edit: { restricted: true, grantees: [] } };
  const unseen = { ...listed, view: { restricted: true, grantees: [administrators] } };
  await set(listed);
  expect('a key that stays listed', await late(async () => undefined), 200);
  expect('a key that is taken from the editors', await late(() => set(unlisted)), 403);
  await set(listed);
  expect('a key that is taken from the viewers', await late(() => set(unseen)), 404);
  await set({ view: { restricted: false } });
  for (const { request, name } of principals.filter(({ owns }) => owns)) {
    const answer = await server.put(`${path}/updateDescription`, 'mine', request);
    expect(`${name} where owners may not edit`, answer.status, 403);
    const defined = await server.post(`${path}/environments/${other.staging.id}`, aDefinition(), request);
    expect(`${name} where owners may not edit`, defined.status, 403);
  }
  await set(listed);
}
