/** A refusal says what to do next: `message` is the vendor's, `details` explains it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';

const api = await startApi();
const [project] = (await api.get('/workspaces')).body.objects;
const [production] = (await api.get(`/environments/ws/${project.id}`)).body;
const environment = `environments/${production.name}`;
await api.post('/splits/ws/Default/trafficTypes/user', { name: 'checkout' });

const definition = {
  treatments: [{ name: 'on' }, { name: 'off' }],
  defaultTreatment: 'off',
  defaultRule: [{ treatment: 'off', size: 100 }],
};
const patch = [{ op: 'replace', path: '/killed', value: true }];

test('401 says whether the key is missing, malformed, an SDK key or unknown', async () => {
  const scope = { kind: 'environment', projectId: project.id, environmentIds: [production.id] } as const;
  const sdkKey = await api.key({ type: 'server_side', roles: [], scope });
  const cases = [
    [{ as: null }, 'No key was sent. Send an admin key as "Authorization: Bearer <key>" or as "x-api-key: <key>"'],
    [{ as: null, headers: { authorization: api.adminKey } }, 'The Authorization header must be "Bearer <key>"'],
    [{ as: sdkKey }, 'This is an SDK key; the Admin API needs a key of type admin'],
    [{ as: 'no-key-of-ours-at-all' }, 'There is no such key: check that it is complete, and that it was not revoked'],
  ] as const;
  for (const [request, details] of cases) {
    const answer = await api.get('/workspaces', request);
    refused(answer, 401, 'Invalid Admin API Key');
    assert.equal(answer.body.details, details);
  }
});

test('a path that Burgee does not know says which one was meant', async () => {
  const cases = {
    '/internal/api/v2/flags/ws/Default': '/internal/api/v2/splits/ws/Default',
    '/internal/api/v2/projects': '/internal/api/v2/workspaces',
    '/internal/api/v2/workspace': '/internal/api/v2/workspaces',
    '/internal/api/v2/trafficType/ws/Default': '/internal/api/v2/trafficTypes/ws/Default',
    '/internal/api/v1/workspaces': '/internal/api/v2/workspaces',
    '/api/v2/workspaces/': '/internal/api/v2/workspaces',
    '/workspaces': '/internal/api/v2/workspaces',
    '/v2/splits/ws/Default/checkout': '/internal/api/v2/splits/ws/Default/checkout',
    '/internal/api/v2/splits/Default': '/internal/api/v2/splits/ws/Default',
    '/internal/api/v2/traffictypes/ws/Default': '/internal/api/v2/trafficTypes/ws/Default',
    '/internal/api/v2/rollout-statuses/ws/Default': '/internal/api/v2/rolloutStatuses/ws/Default',
  };
  for (const [url, meant] of Object.entries(cases)) {
    const { code, message, details } = (await api.app.inject(url)).json();
    assert.deepEqual({ code, message, details }, unknown(url, `Did you mean ${meant}?`));
    const right = await api.call('GET', meant);
    assert.equal(right.status, 200, `${meant} is no better: ${right.text}`);
  }
  const url = '/internal/api/v2/nonsense';
  const { code, message, details } = (await api.app.inject(url)).json();
  const hint = 'The paths of the Admin API begin with /internal/api/v2; /docs lists them';
  assert.deepEqual({ code, message, details }, unknown(url, hint));
});

const unknown = (path: string, details: string) => ({ code: 404, message: `Could not find path ${path}`, details });

test('a part of the vendor’s API that Burgee does not have is named', async () => {
  const cases = {
    'POST /internal/api/v2/splits/ws/Default/checkout/environments/e/reallocate':
      'Burgee cannot reallocate traffic yet',
    'POST /api/events': 'Not part of Burgee: single events. SDKs send events with an SDK key, to /api/events/bulk',
    'GET /splitChanges?since=-1': 'No SDK asks for this path: check its URLs against docs/sdks.md',
    'POST /api/api/events/bulk': 'No SDK asks for this path: check its URLs against docs/sdks.md',
  };
  for (const [place, details] of Object.entries(cases)) {
    const [method = '', url = ''] = place.split(' ');
    const answer = await api.app.inject({ method: method as 'GET', url });
    assert.equal(answer.statusCode, 404, place);
    assert.equal(answer.json().details, details, place);
  }
});

test('a part of the vendor’s products that Burgee will not have is named, also to a browser', async () => {
  const platform = 'Not part of Burgee: the Harness platform API; the Admin API is at /internal/api/v2';
  const measuring =
    'Not part of Burgee: metrics and experiments. It manages flags; measure their effect in your own analytics';
  const cases = {
    'POST /internal/api/login': 'Not part of Burgee: programs do not sign in; send an admin API key with each request',
    'GET /internal/api/v2/metrics/ws/Default': measuring,
    'GET /internal/api/v2/experiments': measuring,
    'POST /internal/api/v2/events/bulk':
      'Not part of Burgee: single events. SDKs send events with an SDK key, to /api/events/bulk',
    'GET /fme/api/v4/environments': 'Not part of Burgee: the Harness FME API; the Admin API is at /internal/api/v2',
    'GET /ng/api/user/currentUser': platform,
    'POST /authz/api/acl': platform,
    'GET /resourcegroup/api/v2/resourcegroup': platform,
    'GET /gateway/ng/api/projects': platform,
  };
  for (const [place, details] of Object.entries(cases)) {
    const [method = '', url = ''] = place.split(' ');
    const answer = await api.app.inject({ method: method as 'GET', url, headers: { accept: 'text/html' } });
    assert.equal(answer.statusCode, 404, place);
    assert.equal(answer.json().details, details, place);
  }
});

test('a method that a path does not have is answered with those that it has, in words too', async () => {
  const answer = await api.put('/workspaces', {});
  refused(answer, 405, 'Method PUT is not allowed here');
  assert.equal(answer.headers.allow, 'GET, HEAD, POST');
  assert.equal(answer.body.details, 'This path accepts GET, HEAD, POST');
});

test('a name in the wrong case is answered with the right one, to those who may see it', async () => {
  const similar = (answer: { body: { message: string; details: string } }) => [
    answer.body.message,
    answer.body.details,
  ];
  assert.deepEqual(similar(await api.get('/splits/ws/DEFAULT')), [
    'Could not find project DEFAULT',
    'Did you mean Default? Names are case-sensitive',
  ]);
  assert.deepEqual(similar(await api.get('/splits/ws/Default/environments/prod-default')), [
    'Could not find environment prod-default',
    'Did you mean Prod-Default? Names are case-sensitive',
  ]);
  assert.deepEqual(similar(await api.post('/splits/ws/Default/trafficTypes/User', { name: 'other' })), [
    'Could not find traffic type User',
    'Did you mean user? Names are case-sensitive',
  ]);
  const elsewhere = (await api.post('/workspaces', { name: 'Elsewhere' })).body;
  const as = await api.key({ scope: { kind: 'project', projectId: elsewhere.id } });
  assert.deepEqual(similar(await api.get('/splits/ws/DEFAULT', { as })), [
    'Could not find project DEFAULT',
    'No project that you can access has this id or name. GET /workspaces lists them',
  ]);
});

const onDefinition = (flag: string) => {
  const path = `/splits/ws/Default/${flag}/${environment}`;
  return {
    GET: () => api.get(path),
    PUT: () => api.put(path, definition),
    PATCH: () => api.patch(path, patch),
    DELETE: () => api.delete(path),
    kill: () => api.put(`${path}/kill`),
    restore: () => api.put(`${path}/restore`),
  };
};

test('a flag that does not exist and one that is not defined in the environment are told apart', async () => {
  const missing =
    'There is no flag chekout in project Default. Names are case-sensitive; create the flag with POST /splits/ws/<project>/trafficTypes/<traffic type>';
  const post = await api.post(`/splits/ws/Default/chekout/${environment}`, definition);
  for (const answer of [post, ...(await all(onDefinition('chekout')))]) {
    refused(answer, 404, 'Could not find splitmetadata chekout');
    assert.equal(answer.body.details, missing);
  }
  for (const answer of await all(onDefinition('checkout'))) {
    refused(answer, 404, 'Could not find splitmetadata checkout');
    assert.equal(
      answer.body.details,
      'Flag checkout has no definition in environment Prod-Default. Create one with POST /splits/ws/<project>/<flag>/environments/<environment>',
    );
  }
});

test('a key that sees one environment is not told which flags the project has', async () => {
  const scope = { kind: 'environment', projectId: project.id, environmentIds: [production.id] } as const;
  const as = await api.key({ scope });
  const answerTo = async (flag: string) =>
    (await api.get(`/splits/ws/Default/${flag}/${environment}`, { as })).body.details.replace(flag, '<flag>');
  const details = 'There is no flag <flag> in project Default, or it has no definition in environment Prod-Default';
  assert.equal(await answerTo('checkout'), details);
  assert.equal(await answerTo('chekout'), details);
});

const all = <Result>(calls: Record<string, () => Promise<Result>>): Promise<Result[]> =>
  Promise.all(Object.values(calls).map((call) => call()));

test('a request without a body, a form and a patch that is no list get a hint what to send', async () => {
  const path = `/splits/ws/Default/checkout/${environment}`;
  const none = 'body is required: send a JSON';
  refused(await api.post(path), 400, `${none} object`);
  refused(await api.post('/groups'), 400, `${none} object`);
  refused(await api.patch('/splits/ws/Default/checkout'), 400, `${none} array`);
  for (const text of ['name=checkout&description=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1']) {
    refused(await api.call('POST', '/groups', { text }), 400, 'The body is not valid JSON: it is a form; send JSON');
  }
  refused(
    await api.patch('/splits/ws/Default/checkout', { op: 'replace', path: '/description', value: 'x' }),
    400,
    'body must be array: a JSON Patch is a list of operations, for example [{"op":"replace","path":"/<field>","value":"…"}]',
  );
});

test('the refusal of a value of the wrong type says what the value means', async () => {
  const treatments = [{ name: 'on', configurations: { color: 'blue' } }, { name: 'off' }];
  refused(
    await api.post(`/splits/ws/Default/checkout/${environment}`, { ...definition, treatments }),
    400,
    'treatments/0/configurations must be string: JSON as text, for example "{\\"color\\":\\"blue\\"}"',
  );
  refused(await api.get('/auditLogs?from=yesterday'), 400, 'from must be integer: milliseconds since the Unix epoch');
});

test('the refusal of a patch path without its slash shows the path with it', async () => {
  const [flag] = (await api.get('/splits/ws/Default')).body.objects;
  const staging = `/splits/ws/Default/${flag.name}/environments/Staging-Default`;
  await api.post(staging, definition);
  const { body: user } = await api.post('/users', { email: 'ada@example.com' });
  const cases = [
    [staging, 'killed'],
    [`/splits/ws/Default/${flag.name}`, 'description'],
    [`/users/${user.id}`, 'name'],
  ] as const;
  for (const [path, name] of cases) {
    const answer = await api.patch(path, [{ op: 'replace', path: name, value: true }]);
    refused(answer, 400, `0/path: a path begins with a slash; did you mean /${name}?`);
  }
});

test('groups and rollout statuses are named by id, and the refusal says where to find it', async () => {
  refused(
    await api.post('/users', { email: 'bob@example.com', groups: ['Administrators'] }),
    400,
    'groups: there is no group with the id Administrators; GET /groups lists them',
  );
  const status =
    'Ramping is not the id of a rollout status of the project; GET /rolloutStatuses?wsId=<project> lists them';
  const operation = { op: 'replace', path: '/rolloutStatus/id', value: 'Ramping' };
  refused(await api.patch('/splits/ws/Default/checkout', [operation]), 400, `rolloutStatus/id ${status}`);
  refused(await api.get('/splits/ws/Default?rolloutStatus=Ramping'), 400, `rolloutStatus ${status}`);
});

test('a definition that names segments which do not exist is accepted with a warning', async () => {
  await api.post('/splits/ws/Default/trafficTypes/user', { name: 'segmented' });
  const path = `/splits/ws/Default/segmented/${environment}`;
  const naming = (...names: string[]) => ({
    ...definition,
    treatments: [{ name: 'on', segments: ['staff'] }, { name: 'off' }],
    rules: names.map((string) => ({
      buckets: [{ treatment: 'on', size: 100 }],
      condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string }] },
    })),
  });
  const empty = (name: string) => `299 - "Segment ${name} does not exist, so it counts as empty"`;
  const created = await api.post(path, naming('staff', 'a "b" \\ é\n'));
  assert.equal(created.status, 200, created.text);
  assert.equal(created.headers.warning, `${empty('staff')}, ${empty('a \\"b\\" \\\\ ??')}`);
  const patched = await api.patch(path, patch);
  assert.equal(patched.headers.warning, created.headers.warning);
  const many = await api.put(path, naming(...Array.from({ length: 20 }, (_, index) => `s${index}`)));
  assert.match(String(many.headers.warning), /"Segment s8 does .*, 299 - "and 11 more"$/);
  const none = await api.put(path, definition);
  assert.equal(none.headers.warning, undefined);
});

test('following the advice of an error leads to a flag and its definition', async () => {
  const path = `/splits/ws/Default/advised/${environment}`;
  assert.match((await api.get(path)).body.details, /create the flag with POST \/splits\/ws\/<project>\/trafficTypes\//);
  assert.equal((await api.post('/splits/ws/Default/trafficTypes/user', { name: 'advised' })).status, 200);
  const killed = await api.put(`${path}/kill`);
  assert.match(
    killed.body.details,
    /Create one with POST \/splits\/ws\/<project>\/<flag>\/environments\/<environment>$/,
  );
  assert.equal((await api.post(path, definition)).status, 200);
  assert.equal((await api.put(`${path}/kill`)).status, 200);
});

test('following the advice of docs/problems.md deletes a project', async () => {
  const { body: doomed } = await api.post('/workspaces', { name: 'Doomed' });
  const { body: there } = await api.post(`/environments/ws/${doomed.id}`, { name: 'there', production: false });
  await api.post(`/splits/ws/${doomed.id}/trafficTypes/user`, { name: 'doomed' });
  await api.post(`/splits/ws/${doomed.id}/doomed/environments/${there.id}`, definition);
  const inUse = 'Project Doomed still has environments or traffic types; delete them first';
  refused(await api.delete(`/workspaces/${doomed.id}`), 400, inUse);
  assert.equal((await api.delete(`/splits/ws/${doomed.id}/doomed`)).status, 200);
  const { body: kept } = await api.delete(`/environments/ws/${doomed.id}/${there.id}`);
  const [, ids = ''] = /it has apitokens associated \[(.+)\]$/.exec(kept.message) ?? assert.fail(kept.message);
  for (const id of ids.split(/, ?/)) assert.equal((await api.delete(`/apiKeys/${id}`)).status, 200);
  assert.equal((await api.delete(`/environments/ws/${doomed.id}/${there.id}`)).status, 200);
  for (const { id } of (await api.get(`/trafficTypes/ws/${doomed.id}`)).body) {
    assert.equal((await api.delete(`/trafficTypes/${id}`)).status, 200);
  }
  assert.equal((await api.delete(`/workspaces/${doomed.id}`)).status, 200);
});
