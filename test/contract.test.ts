/** Access: every endpoint of the contract with every kind of key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 as newId } from 'uuid';
import { accountContract, contract } from '#contract/all.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import * as service from '#contract/service.ts';
import * as uploads from '#contract/uploads.ts';
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
import { newKeyText } from '#security/secrets.ts';
import { type Answer, refused, startApi } from './support/app.ts';
import { aProject } from './support/build.ts';
import { type Build, type Place, requestOf, requestsTo, type Target } from './support/requests.ts';
import { powers, ways } from './support/written-access.ts';

const api = await startApi();
const requests = requestsTo(api);

/** What is not of one project: these answer only what the key reaches, or what everybody may read. */
const filtered: readonly string[] = [
  ...['listProjects', 'listUsers', 'listApiKeys', 'listChangeRequests', 'search'],
  ...['listChanges', 'downloadChanges', 'getChangesCalendar'],
];
const shared: readonly string[] = ['listGroups', 'getGroup'];

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
  readonly build: Build;
}

const all: readonly Way[] = Object.entries(contract).flatMap(([part, endpoints]) =>
  Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
    const builds: Record<string, Build> = requests[part as keyof typeof contract];
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

/** Sends the request of the endpoint; `swap` replaces one id by another, wherever it occurs. */
function call({ endpoint }: Way, place: Place, target: Target, sending: Sending, swap?: [from: string, to: string]) {
  const swapped = (text: string) => (swap ? text.replaceAll(...swap) : text);
  const { path, text } = requestOf(endpoint, place, target);
  return api.call(endpoint.method, swapped(path), {
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

test('the endpoints and their access are those in written-access.ts', () => {
  const found = [service, uploads, ...Object.values(accountContract), ...Object.values(contract)]
    .flatMap((part) => Object.values<Endpoint>(part))
    .map(({ method, path, access }) => {
      const needs = typeof access === 'string' ? access : `${access.needs} ${access.scope}`;
      return `${method} ${path} ${needs}`;
    });
  assert.deepEqual(inOrder(found), inOrder(ways.trim().split('\n')));
});

test('the roles may do what is written down', () => {
  const found = Object.entries(roles).map(([role, may]) => [role, inOrder(may)]);
  const written = Object.entries(powers).map(([role, may]) => [
    role,
    inOrder(may === '*' ? permissions : may.split(' ')),
  ]);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(written));
});

/** A changeset is hidden from keys that cannot read what it changes: here definitions, or segments. */
const hides = (path: string, may: readonly string[]): boolean =>
  (path.startsWith('/changesets') && !may.includes('definition.read')) ||
  (path.startsWith('/changeRequests') && !may.includes('segment.read'));

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

  // No environment here requires approvals, so nobody can approve.
  const admitted = ['approveChangeset', 'askForChanges', 'rejectChangeset'].includes(name) ? 403 : 200;

  test(`${name} answers an admin key, as a bearer or as x-api-key`, async () => {
    for (const headers of [{ authorization: `Bearer ${api.adminKey}` }, { 'x-api-key': api.adminKey }]) {
      const answer = await call(way, home, await build(home), { as: null, headers });
      assert.equal(answer.status, admitted, answer.text);
    }
  });

  test(`${name} is for roles with ${access.needs} only`, async () => {
    const target = await build(home);
    for (const [role, as] of keyOfRole) {
      const may = (roles[role] as readonly string[]).includes(access.needs);
      const isHidden = !name.startsWith('list') && hides(endpoint.path, roles[role]);
      if (may && isHidden)
        await nothingRecorded(async () =>
          assert.match(`${(await call(way, home, target, { as })).status}`, /40[34]/, role),
        );
      else if (may) assert.equal((await call(way, home, await build(home), { as })).status, admitted, role);
      else
        await nothingRecorded(async () => refused(await call(way, home, target, { as }), 403, 'Role is insufficient'));
    }
  });

  test(`${name} is for keys of ${access.scope} scope or wider`, async () => {
    for (const kind of ['account', 'project', 'environment'] as const) {
      const target = await build(home);
      const projectId = kind === 'environment' ? home.id : (target.params?.project ?? home.id);
      const as = await keyIn(kind, projectId, home.environment.id);
      const ask = () => call(way, home, target, { as });
      if (width[kind] >= width[access.scope]) assert.equal((await ask()).status, admitted, kind);
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

  // Without a project in the path, the traffic type or the environment says which it is.
  const parts = endpoint.path.split('/');
  const inProject = parts.includes(':project')
    ? ['environment', 'flag', 'trafficType', 'segment', 'anySegment', 'ruleBasedSegment']
    : parts.includes(':trafficType')
      ? ['environment']
      : [];
  for (const word of inProject.filter((one) => parts.includes(`:${one}`))) {
    test(`${name} does not find a ${word} of one project in another`, async () => {
      const [here, there] = [await build(home), await build(elsewhere)];
      const id = there.params?.[word] ?? elsewhere.environment.id;
      const target = { ...here, params: { ...here.params, [word]: id } };
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
