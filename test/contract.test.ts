/** Who may use what: every endpoint of the contract with every kind of key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 as newId } from 'uuid';
import { newKeyText } from '#commands/secrets.ts';
import { accountContract, contract } from '#contract/all.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import * as service from '#contract/service.ts';
import {
  type Access,
  type KeyScope,
  permissions,
  permissionsOf,
  permissionsOfPerson,
  type Role,
  roleNames,
  roles,
} from '#domain/access.ts';
import { type Answer, refused, startApi } from './support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, type ProjectFixture, uniqueName } from './support/build.ts';

const api = await startApi();

/** Where requests are made: a project with the environment that paths name. */
type Place = ProjectFixture & { readonly environment: { readonly id: string } };

interface Target {
  /** Of the path; project and environment are those of the place unless said otherwise. */
  readonly words?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  readonly text?: string;
  /** The id that a key must reach; that of the project unless said otherwise. */
  readonly id?: string;
}

const flagIn = async (place: Place, more: Target = {}): Promise<Target> => ({
  ...more,
  words: { flag: (await aFlag(api, place)).id, ...more.words },
});
const definedFlagIn = async (place: Place, more: Target = {}): Promise<Target> => {
  const { flag, path } = await aDefinedFlag(api, place);
  const { id } = place.environment;
  if (!path.endsWith(id)) await api.post(`/splits/ws/${place.id}/${flag.name}/environments/${id}`, aDefinition());
  return { ...more, words: { flag: flag.id } };
};
/** What must not be shown would be on the page if it were. */
const wholeList = { query: { limit: '200' } };
const newName = async () => ({ body: { name: uniqueName('new') } });
const aUser = async (more: Target = {}): Promise<Target> => {
  const { body } = await api.post('/users', { email: `${uniqueName('user')}@example.com` });
  return { body: { ...body }, words: { user: body.id }, id: body.id, ...more };
};
const aGroup = async (): Promise<Target> => {
  const { body } = await api.post('/groups', { name: uniqueName('group') });
  return { body, words: { group: body.id }, id: body.id };
};

/** The smallest request of each endpoint that the right key gets a 200 for. One that is missing does not compile. */
const requests: {
  readonly [Part in keyof typeof contract]: {
    readonly [Name in keyof (typeof contract)[Part]]: (place: Place) => Promise<Target>;
  };
} = {
  projects: {
    listProjects: async () => wholeList,
    createProject: newName,
    patchProject: async () => ({ body: [] }),
    deleteProject: async () => {
      const { body: project } = await api.post('/workspaces', { name: uniqueName('project') });
      const { body: trafficTypes } = await api.get(`/trafficTypes/ws/${project.id}`);
      await api.delete(`/trafficTypes/${trafficTypes[0].id}`);
      return { words: { project: project.id }, id: project.id };
    },
  },
  environments: {
    listEnvironments: async () => ({}),
    createEnvironment: newName,
    patchEnvironment: async () => ({ body: [] }),
    deleteEnvironment: async ({ id }) => {
      const { body: environment } = await api.post(`/environments/ws/${id}`, { name: uniqueName('env') });
      for (const token of environment.apiTokens) await api.delete(`/apiKeys/${token.id}`);
      return { words: { environment: environment.id } };
    },
  },
  trafficTypes: {
    listTrafficTypes: async () => ({}),
    createTrafficType: newName,
    deleteTrafficType: async ({ id }) => {
      const { body } = await api.post(`/trafficTypes/ws/${id}`, { name: uniqueName('type') });
      return { words: { trafficTypeId: body.id }, id: body.id };
    },
  },
  rolloutStatuses: {
    listRolloutStatuses: async ({ id }) => ({ query: { wsId: id } }),
    listRolloutStatusesOfProject: async () => ({}),
  },
  flags: {
    createFlag: async ({ id }) => {
      const { body } = await api.get(`/trafficTypes/ws/${id}`);
      return { ...(await newName()), words: { trafficType: body[0].id } };
    },
    listFlags: async () => ({}),
    getFlag: flagIn,
    patchFlag: (place) => flagIn(place, { body: [] }),
    updateFlagDescription: (place) => flagIn(place, { text: 'new' }),
    associateTags: (place) => flagIn(place, { words: { objectType: 'Split' }, body: ['new'] }),
    deleteFlag: flagIn,
  },
  definitions: {
    listDefinitions: async () => ({}),
    getDefinition: definedFlagIn,
    createDefinition: (place) => flagIn(place, { body: aDefinition() }),
    replaceDefinition: (place) => definedFlagIn(place, { body: aDefinition() }),
    patchDefinition: (place) => definedFlagIn(place, { body: [] }),
    deleteDefinition: definedFlagIn,
    killDefinition: definedFlagIn,
    killDefinitionByPost: definedFlagIn,
    restoreDefinition: definedFlagIn,
    restoreDefinitionByPost: definedFlagIn,
  },
  users: {
    inviteUser: async () => ({ body: { email: `${uniqueName('user')}@example.com` } }),
    listUsers: async () => ({ ...wholeList, id: (await aUser()).id ?? '' }),
    getUser: async () => aUser(),
    replaceUser: async () => aUser(),
    patchUser: async () => aUser({ body: [] }),
    deleteUser: async () => aUser(),
  },
  groups: {
    listGroups: async () => ({}),
    getGroup: aGroup,
    createGroup: newName,
    replaceGroup: aGroup,
    deleteGroup: aGroup,
  },
  apiKeys: {
    createApiKey: async ({ id }) => ({ body: { name: 'new', apiKeyType: 'admin', workspace: { id } } }),
    listApiKeys: async () => wholeList,
    revokeApiKey: async () => {
      const { body } = await api.post('/apiKeys', { name: 'gone', apiKeyType: 'admin' });
      return { words: { key: body.id }, id: body.id };
    },
  },
  restrictions: {
    listRestrictions: async ({ id }) => ({ query: { resource_type: 'workspace', resource_id: id } }),
    replaceRestriction: async ({ id }) => ({
      body: { resource: { type: 'workspace', id }, operations: { view: false } },
    }),
  },
  changes: { listChanges: async () => wholeList },
};

/** What is not of one project: these answer only what the key reaches, or what everybody may read. */
const filtered: readonly string[] = ['listProjects', 'listUsers', 'listApiKeys', 'listChanges'];
const shared: readonly string[] = ['listGroups', 'getGroup'];

/** Every line here is a way in. A line that changes is a change of who may do what. */
const ways = `
GET /health probe
GET /ready probe
GET /workspaces project.read environment
POST /workspaces project.create account
PATCH /workspaces/:project project.write project
DELETE /workspaces/:project project.write project
GET /environments/ws/:project project.read environment
POST /environments/ws/:project environment.write project
PATCH /environments/ws/:project/:environment environment.write project
DELETE /environments/ws/:project/:environment environment.write project
GET /trafficTypes/ws/:project project.read environment
POST /trafficTypes/ws/:project trafficType.write project
DELETE /trafficTypes/:trafficTypeId trafficType.write project
GET /rolloutStatuses rolloutStatus.read environment
GET /rolloutStatuses/ws/:project rolloutStatus.read environment
GET /splits/ws/:project flag.read project
POST /splits/ws/:project/trafficTypes/:trafficType flag.write project
GET /splits/ws/:project/:flag flag.read project
PATCH /splits/ws/:project/:flag flag.write project
DELETE /splits/ws/:project/:flag flag.write project
PUT /splits/ws/:project/:flag/updateDescription flag.write project
POST /tags/ws/:project/object/:flag/objecttype/:objectType flag.write project
GET /splits/ws/:project/environments/:environment definition.read environment
GET /splits/ws/:project/:flag/environments/:environment definition.read environment
POST /splits/ws/:project/:flag/environments/:environment definition.write environment
PUT /splits/ws/:project/:flag/environments/:environment definition.write environment
PATCH /splits/ws/:project/:flag/environments/:environment definition.write environment
DELETE /splits/ws/:project/:flag/environments/:environment definition.write environment
PUT /splits/ws/:project/:flag/environments/:environment/kill definition.write environment
POST /splits/ws/:project/:flag/environments/:environment/kill definition.write environment
PUT /splits/ws/:project/:flag/environments/:environment/restore definition.write environment
POST /splits/ws/:project/:flag/environments/:environment/restore definition.write environment
GET /users user.read environment
POST /users user.write account
GET /users/:user user.read environment
PUT /users/:user user.write account
PATCH /users/:user user.write account
DELETE /users/:user user.write account
GET /groups group.read environment
POST /groups group.write account
GET /groups/:group group.read environment
PUT /groups/:group group.write account
DELETE /groups/:group group.write account
GET /apiKeys apiKey.read project
POST /apiKeys apiKey.write project
DELETE /apiKeys/:key apiKey.write account
GET /restrictions restriction.write project
PUT /restrictions restriction.write project
GET /auditLogs audit.read environment
GET /invitations/:token public
POST /invitations/:token public
POST /users/:user/resend-invitation user.write account
GET /outbox user.write account
POST /session public
GET /session signed-in
DELETE /session signed-in
GET /sessions signed-in
DELETE /sessions/:session signed-in
POST /password signed-in
POST /password-reset public
POST /password-reset/:token public
GET /password-reset/:token public
POST /2fa signed-in
POST /2fa/confirm signed-in
DELETE /2fa signed-in
GET /setup public
POST /setup public
`;

/** Likewise: what each role may do. */
const powers = {
  API_ALL_GRANTED: permissions.join(' '),
  API_APIKEY: 'project.read apiKey.read apiKey.write',
  API_ADMIN:
    'project.read project.write environment.write trafficType.write restriction.write audit.read project.create ' +
    'user.read user.write group.read group.write',
  API_WORKSPACE_ADMIN: 'project.read project.write environment.write trafficType.write restriction.write audit.read',
  API_FEATURE_FLAG_VIEWER: 'project.read rolloutStatus.read flag.read definition.read',
  API_FEATURE_FLAG_EDITOR: 'project.read rolloutStatus.read flag.read definition.read flag.write definition.write',
  API_SEGMENT_VIEWER: 'project.read',
  API_SEGMENT_EDITOR: 'project.read',
};

const newPlace = async (): Promise<Place> => {
  const project = await aProject(api);
  return { ...project, environment: project.staging };
};
/** Where the targets are, a project that its keys may not see them from, and a key for every kind of refusal. */
const home = await newPlace();
const elsewhere = await newPlace();
const administrators = (await api.get('/groups?limit=1')).body.objects[0];
await api.put('/restrictions', {
  resource: { type: 'workspace', id: elsewhere.id },
  operations: { view: true },
  resourcePermissions: { view: [administrators] },
});

const scopeIn = (kind: KeyScope['kind'], projectId: string, environmentId: string): KeyScope => {
  if (kind === 'account') return { kind };
  return kind === 'project' ? { kind, projectId } : { kind, projectId, environmentIds: [environmentId] };
};
const keyIn = (kind: KeyScope['kind'], projectId: string, environmentId: string) =>
  api.key({ scope: scopeIn(kind, projectId, environmentId) });
const stranger = await keyIn('project', elsewhere.id, elsewhere.staging.id);
const keyOfRole = new Map<Role, string>();
for (const role of roleNames) keyOfRole.set(role, await api.key({ roles: [role] }));

async function badKeys(): Promise<Record<string, string>> {
  const sdk = { roles: [], scope: scopeIn('environment', home.id, home.staging.id) };
  const revoked = await api.key({});
  await api.delete(`/apiKeys/${revoked}`);
  const wellFormed = newKeyText('admin');
  return {
    short: 'x',
    'with a wrong checksum': wellFormed.slice(0, -1) + (wellFormed.endsWith('0') ? '1' : '0'),
    'with a piece missing': api.adminKey.slice(0, -1),
    'in the wrong case': api.adminKey.toUpperCase(),
    unknown: wellFormed,
    revoked,
    'of a server-side SDK': await api.key({ ...sdk, type: 'server_side' }),
    'of a client-side SDK': await api.key({ ...sdk, type: 'client_side' }),
  };
}
const bad = await badKeys();
const refusedHeaders: Record<string, string>[] = [
  {},
  { authorization: '' },
  { authorization: 'Bearer' },
  { authorization: 'Bearer ' },
  { authorization: api.adminKey },
  { authorization: `Basic ${api.adminKey}` },
  { 'x-api-key': '' },
  { 'x-api-key': `Bearer ${api.adminKey}` },
  ...Object.values(bad).flatMap((key) => [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }]),
];

interface Way {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly access: Access;
  readonly build: (place: Place) => Promise<Target>;
}

const all: readonly Way[] = Object.entries(contract).flatMap(([part, endpoints]) =>
  Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
    const builds: Record<string, Way['build']> = requests[part as keyof typeof contract];
    const build = builds[name] ?? assert.fail(`the table of requests lacks ${part}.${name}`);
    assert.ok(typeof endpoint.access === 'object', `${name} is open to everybody`);
    return { name, endpoint, access: endpoint.access, build };
  }),
);

interface Sending {
  readonly as?: string | null;
  readonly headers?: Record<string, string>;
  readonly from?: string;
}

/** Sends the request of the endpoint; `swap` puts another id in the place of one, wherever it stands. */
function call({ endpoint }: Way, place: Place, target: Target, sending: Sending, swap?: [from: string, to: string]) {
  const swapped = (text: string) => (swap ? text.replaceAll(...swap) : text);
  const words: Record<string, string> = { project: place.id, environment: place.environment.id, ...target.words };
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, word: string) => words[word] ?? assert.fail(`no word ${word}`));
  const query = target.query ? `?${new URLSearchParams(target.query)}` : '';
  const text = target.text ?? (target.body === undefined ? undefined : JSON.stringify(target.body));
  return api.call(endpoint.method, swapped(path + query), {
    ...sending,
    ...(text === undefined ? {} : { text: swapped(text) }),
  });
}

/** An answer without what differs by nature: the word that was asked for, the transaction id and the date. */
function essenceOf({ status, text, headers }: Answer, word: string) {
  const { date: _, 'x-transaction-id': transactionId, ...others } = headers;
  return { status, text: text.replaceAll(word, '<word>').replaceAll(String(transactionId), '<id>'), headers: others };
}

const nothingRecorded = async (body: () => Promise<void>) => assert.deepEqual(await api.recorded(body), []);
const width = { environment: 0, project: 1, account: 2 };

/** What is out of reach is answered exactly as what does not exist, and nothing is done. */
async function answersAsAbsent(way: Way, place: Place, target: Target, as: string, id: string): Promise<void> {
  await nothingRecorded(async () => {
    const foreign = await call(way, place, target, { as });
    refused(foreign, 404, /^Could not find /);
    const absentId = newId().slice(-id.length);
    const absent = await call(way, place, target, { as }, [id, absentId]);
    assert.deepEqual(essenceOf(foreign, id), essenceOf(absent, absentId));
  });
}

const inOrder = (lines: Iterable<string>) => [...lines].sort();

test('who may read flags may read definitions, since a flag is shown with them on request', () => {
  const people = [true, false].map(permissionsOfPerson);
  for (const may of [...people, ...roleNames.map((role) => permissionsOf([role]))]) {
    assert.ok(!may.has('flag.read') || may.has('definition.read'));
  }
});

test('the ways in are the ones that are written down', () => {
  const found = [service, accountContract.accounts, ...Object.values(contract)]
    .flatMap((part) => Object.values<Endpoint>(part))
    .map(({ method, path, access }) => {
      const needs = typeof access === 'string' ? access : `${access.needs} ${access.scope}`;
      return `${method} ${path} ${needs}`;
    });
  assert.deepEqual(inOrder(found), inOrder(ways.trim().split('\n')));
});

test('the roles may do what is written down', () => {
  const found = Object.entries(roles).map(([role, may]) => [role, inOrder(may)]);
  const written = Object.entries(powers).map(([role, may]) => [role, inOrder(may.split(' '))]);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(written));
});

for (const [index, way] of all.entries()) {
  const { name, endpoint, access, build } = way;

  test(`${name} is closed to all but admin keys`, async () => {
    const target = await build(home);
    await nothingRecorded(async () => {
      for (const headers of refusedHeaders) {
        const answer = await call(way, home, target, { as: null, headers, from: `10.0.${index}.1` });
        refused(answer, 401, 'Invalid Admin API Key');
      }
    });
  });

  test(`${name} answers an admin key, as a bearer or as x-api-key`, async () => {
    for (const headers of [{ authorization: `Bearer ${api.adminKey}` }, { 'x-api-key': api.adminKey }]) {
      const answer = await call(way, home, await build(home), { as: null, headers });
      assert.equal(answer.status, 200, answer.text);
    }
  });

  test(`${name} is for roles with ${access.needs} only`, async () => {
    const target = await build(home);
    for (const [role, as] of keyOfRole) {
      const may = (roles[role] as readonly string[]).includes(access.needs);
      if (may) assert.equal((await call(way, home, await build(home), { as })).status, 200, role);
      else
        await nothingRecorded(async () => refused(await call(way, home, target, { as }), 403, 'Role is insufficient'));
    }
  });

  test(`${name} is for keys of ${access.scope} scope or wider`, async () => {
    for (const kind of ['account', 'project', 'environment'] as const) {
      const target = await build(home);
      const projectId = kind === 'environment' ? home.id : (target.words?.project ?? home.id);
      const as = await keyIn(kind, projectId, home.environment.id);
      const ask = () => call(way, home, target, { as });
      if (width[kind] >= width[access.scope]) assert.equal((await ask()).status, 200, kind);
      else await nothingRecorded(async () => refused(await ask(), 403, 'Role is insufficient'));
    }
  });

  test(`${name} shows a key of another project nothing, by id or by name`, async () => {
    for (const place of [home, { ...home, id: home.name }]) {
      const target = await build(place);
      const id = target.id ?? place.id;
      const ask = () => call(way, place, target, { as: stranger });
      if (access.scope === 'account') {
        await nothingRecorded(async () => refused(await ask(), 403, 'Role is insufficient'));
      } else if (filtered.includes(name) || shared.includes(name)) {
        const { status, text } = await ask();
        assert.deepEqual([status, filtered.includes(name) && text.includes(id)], [200, false]);
      } else {
        await answersAsAbsent(way, place, target, stranger, id);
      }
    }
  });

  if (endpoint.path.includes('/:environment') && access.scope === 'environment') {
    test(`${name} shows a key of another environment nothing`, async () => {
      const place = { ...home, environment: home.production };
      const as = await keyIn('environment', home.id, home.staging.id);
      await answersAsAbsent(way, place, await build(place), as, home.production.id);
    });
  }

  for (const word of ['environment', 'flag', 'trafficType'].filter((one) =>
    endpoint.path.split('/').includes(`:${one}`),
  )) {
    test(`${name} does not find a ${word} of one project in another`, async () => {
      const [here, there] = [await build(home), await build(elsewhere)];
      const id = there.words?.[word] ?? elsewhere.environment.id;
      const target = { ...here, words: { ...here.words, [word]: id } };
      await answersAsAbsent(way, home, target, api.adminKey, id);
    });
  }
}

test('the word Bearer has no case, and spaces around the key do not matter', async () => {
  for (const authorization of [`bearer ${api.adminKey}`, `BEARER   ${api.adminKey}  `]) {
    assert.equal((await api.get('/workspaces', { as: null, headers: { authorization } })).status, 200);
  }
});

test('an address that failed 300 times in a minute must wait; its valid keys and other addresses need not', async () => {
  const from = '192.0.2.1';
  for (let count = 0; count < 300; count += 1) {
    const answer = await api.get('/workspaces', { as: newKeyText('admin'), from });
    assert.equal(answer.status, 401, `failure ${count + 1}`);
  }
  for (const key of [newKeyText('admin'), bad.revoked ?? '', bad.unknown ?? '']) {
    const answer = await api.get('/workspaces', { as: key, from });
    refused(answer, 429, 'Too many failed authentications from this address');
    const seconds = Number(answer.headers['retry-after']);
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
    for (const limiter of ['org', 'ip']) {
      assert.equal(Number(answer.headers[`x-ratelimit-remaining-${limiter}`]), 0);
      assert.equal(Number(answer.headers[`x-ratelimit-reset-seconds-${limiter}`]), seconds);
    }
  }
  assert.equal((await api.get('/workspaces', { from })).status, 200);
  assert.equal((await api.get('/workspaces', { as: bad.unknown ?? '', from: '192.0.2.2' })).status, 401);
});
