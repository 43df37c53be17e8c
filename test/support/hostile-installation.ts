/** A real server with one of everything, and a function that sends it requests that it must refuse. */

import assert from 'node:assert/strict';
import { needsNobody } from '#contract/endpoint.ts';
import { accountPrefix, prefix } from '#contract/parts.ts';
import { aDefinition } from './build.ts';
import { pathWith } from './every-endpoint.ts';
import { fingerprint } from './fingerprint.ts';
import { type Hostile, type Reply, requireRefusal, type Sender, sendingTo } from './hostile-requests.ts';
import { anInstallation } from './process.ts';
import { inspect, inspectable, type ProcessInspector } from './process-inspector.ts';

export interface HostileInstallation {
  readonly url: string;
  readonly adminKey: string;
  readonly inspector: ProcessInspector;
  readonly sender: Sender;
  /** Names of things that are there, for the params of paths. */
  readonly things: Readonly<Record<string, string>>;
  send(hostile: Hostile): Promise<Reply>;
  /** Sends a request that must succeed. */
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** The whole database, except when keys and sessions were last used. */
  fingerprint(): Promise<string>;
  /** Nothing that is our fault was written to the log. */
  requireQuietLog(): void;
}

const adminKey = 'a-key-for-the-tests-of-bad-input';

export async function aHostileInstallation(): Promise<HostileInstallation> {
  const burgee = anInstallation();
  const variables = { BURGEE_ADMIN_API_KEY: adminKey, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'warn', ...inspectable };
  const server = await burgee.start(variables);
  const sender = sendingTo(server.url);
  const ask: HostileInstallation['ask'] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${adminKey}` };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const reply = await sender.send(method, path.startsWith('/internal') ? path : prefix + path, {
      headers,
      body: text,
    });
    assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
    return JSON.parse(reply.text) as Record<string, unknown>;
  };
  const token = (await server.says(/setup\?token=(\S+)/))[1] ?? '';
  const cookie = await signIn(sender, token);
  const things = await oneOfEverything(ask, sender);
  let sent = 0;
  return {
    url: server.url,
    adminKey,
    inspector: await inspect(server),
    sender,
    things,
    ask,
    send: ({ endpoint, method, params = {}, query, headers = {}, body }) => {
      sent += 1;
      const named: Record<string, string> = { ...things, ...params };
      const path = pathWith(endpoint.path, (param) => named[param] ?? 'nothing');
      return sender.send(method ?? endpoint.method, query === undefined ? path : `${path}?${query}`, {
        headers: { ...whoAsks(endpoint.access, server.url, cookie), 'x-forwarded-for': addressOf(sent), ...headers },
        body,
      });
    },
    fingerprint: () => fingerprint(burgee.rows),
    requireQuietLog: () => {
      assert.doesNotMatch(server.stdout(), /internal error|"level":(50|60)/);
      assert.doesNotMatch(server.stderr(), /Error|warning/i);
    },
  };
}

const origin = (url: string) => ({ origin: url });

function whoAsks(access: Hostile['endpoint']['access'], url: string, cookie: string): Record<string, string> {
  if (needsNobody(access)) return {};
  return access === 'signed-in' ? { cookie, ...origin(url) } : { authorization: `Bearer ${adminKey}` };
}

/** Failed attempts are counted by address, and these tests must not be slowed down. */
const addressOf = (sent: number): string => `10.${(sent >> 18) & 255}.${(sent >> 10) & 255}.${(sent >> 2) & 255}`;

async function signIn(sender: Sender, token: string): Promise<string> {
  const person = { token, email: 'grace@example.com', name: 'Grace Hopper', password: 'nine violet kites drift' };
  const reply = await sender.send('POST', `${accountPrefix}/setup`, { headers: {}, body: JSON.stringify(person) });
  assert.equal(reply.status, 200, reply.text);
  return reply.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

async function oneOfEverything(ask: HostileInstallation['ask'], sender: Sender): Promise<Record<string, string>> {
  const project = await ask('POST', '/workspaces', { name: 'harbour' });
  const environment = await ask('POST', `/environments/ws/${project.id}`, { name: 'staging' });
  const trafficType = await ask('POST', `/trafficTypes/ws/${project.id}`, { name: 'ship' });
  const flag = await ask('POST', `/splits/ws/${project.id}/trafficTypes/user`, { name: 'lights' });
  await ask('POST', `/splits/ws/${project.id}/lights/environments/staging`, aDefinition());
  await oneEvaluation({ ask, sender }, project.id, environment.id);
  const changeRequest = await oneSegmentOfEachKind({ ask, sender }, project.id, environment.id);
  const flagSet = await ask('POST', '/internal/api/v3/flag-sets', { name: 'signals', workspace: { id: project.id } });
  await ask('PUT', `/views/ws/${project.id}/shared/afloat`, { query: 'tag=ship', columns: [] });
  await ask('POST', `/schema/ws/${project.id}/trafficTypes/ship`, { id: 'tonnage', dataType: 'NUMBER' });
  const identities = `/trafficTypes/${trafficType.id}/environments/${environment.id}/identities`;
  await ask('POST', identities, [{ key: 'sloop', values: { tonnage: 7 } }]);
  const rolloutStatus = await ask('POST', `/rolloutStatuses/ws/${project.id}`, { name: 'moored' });
  const group = await ask('POST', '/groups', { name: 'crew' });
  const user = await ask('POST', '/users', { email: 'ann@example.com' });
  const key = await ask('POST', '/apiKeys', { name: 'key', apiKeyType: 'admin' });
  const changeset = await ask('POST', '/changesets', {
    workspace: { id: project.id },
    operations: [{ environment: 'staging', flag: 'lights', edit: { kind: 'kill' } }],
  });
  const ids = {
    project,
    environment,
    flag,
    flagSet,
    changeRequest,
    changeset,
    group,
    user,
    key,
    rolloutStatus,
    trafficTypeId: trafficType,
  };
  const params = Object.entries(ids).map(([param, { id }]) => [param, String(id)]);
  return {
    ...Object.fromEntries(params),
    trafficType: 'ship',
    objectType: 'Split',
    deletedFlag: 'gone',
    attribute: 'tonnage',
    identity: 'sloop',
    view: 'afloat',
    segment: 'crew',
    anySegment: 'crew',
    largeSegment: 'passengers',
    ruleBasedSegment: 'pilots',
  };
}

/** Reported by an SDK: it is in the database a few seconds later. */
async function oneEvaluation(
  { ask, sender }: Pick<HostileInstallation, 'ask' | 'sender'>,
  project: unknown,
  environment: unknown,
): Promise<void> {
  const place = {
    workspace: { id: project, type: 'workspace' },
    environments: [{ id: environment, type: 'environment' }],
  };
  const { key } = await ask('POST', '/apiKeys', { name: 'sdk', apiKeyType: 'server_side', ...place });
  const body = [{ f: 'lights', i: [{ k: 'sloop', t: 'on', m: Date.now(), r: 'default rule' }] }];
  const reply = await sender.send('POST', '/api/testImpressions/bulk', {
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  assert.equal(reply.status, 200, reply.text);
}

/** Each is active, and has keys or rules. Returns the change request that uploaded the keys of the large one. */
async function oneSegmentOfEachKind(
  { ask, sender }: Pick<HostileInstallation, 'ask' | 'sender'>,
  project: unknown,
  environment: unknown,
): Promise<Record<string, unknown>> {
  const active = async (kind: string, name: string) => {
    await ask('POST', `/${kind}/ws/${project}/trafficTypes/user`, { name });
    await ask('POST', `/${kind}/${environment}/${name}`);
  };
  await active('segments', 'crew');
  await ask('PUT', `/segments/${environment}/crew/uploadKeys`, { keys: ['ann', 'bob'] });
  await active('rule-based-segments', 'pilots');
  const rules = { excludedKeys: ['ann'], excludedSegments: [{ name: 'crew' }] };
  await ask('PUT', `/rule-based-segments/ws/${project}/pilots/environments/${environment}`, rules);
  await active('large-segments', 'passengers');
  const upload = { largeSegment: { name: 'passengers' }, operationType: 'UPLOAD' };
  const request = await ask('POST', `/changeRequests/ws/${project}/environments/${environment}`, upload);
  const { url } = request.transactionMetadata as { url: string };
  const reply = await sender.send('PUT', new URL(url).pathname, { headers: {}, body: 'ann\nbob\n' });
  assert.equal(reply.status, 200, reply.text);
  return request;
}

/** Sends them all, eight at a time, and checks every response. Returns the number of responses by status. */
export async function fuzz(
  installation: HostileInstallation,
  requests: Iterable<Hostile>,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const queue = [...requests].values();
  const sendOn = async () => {
    for (const hostile of queue) {
      const reply = await installation.send(hostile);
      try {
        requireRefusal(reply);
      } catch (error) {
        throw new Error(`${describe(hostile)}: ${(error as Error).message}`, { cause: error });
      }
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 8 }, sendOn));
  return statuses;
}

function describe({ kind, endpoint, method, params, query, headers, body }: Hostile): string {
  const facts = { method, params, query, headers, body: body?.toString('latin1' as never).slice(0, 300) };
  return `${kind}, ${endpoint.name} ${JSON.stringify(facts).slice(0, 1_000)}`;
}
