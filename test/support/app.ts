/** The whole server on a temporary database, called as clients call it, without a socket. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { inject } from 'light-my-request';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { createApiKey, type KeyFields } from '#commands/api-keys.ts';
import { contextFor } from '#commands/context.ts';
import { setUp } from '#commands/setup.ts';
import { type Endpoint, problemsOf } from '#contract/endpoint.ts';
import { prefix } from '#contract/parts.ts';
import { type Delivery, startDelivery } from '#delivery/start.ts';
import { type Permission, permissionsOf } from '#domain/access.ts';
import type { Change } from '#domain/changes.ts';
import { type ProblemCode, problems } from '#domain/problems.ts';
import { findAccount } from '#store/account.ts';
import { type Database, openStore } from '#store/open.ts';
import type { Store } from '#store/sql.ts';
import { type AppOptions, createApp } from '../../src/app.ts';
import { newDatabase } from './databases.ts';
import { everyEndpoint } from './every-endpoint.ts';
import { requireDocumentedFields } from './log-fields.ts';
import { createSecrets, wordsOfPath } from './secrets.ts';

type Method = Endpoint['method'];

export interface Request {
  /** The text of a key, or null for none. Default: the first admin key, which may do everything. */
  readonly as?: string | null;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
  /** The address that asks. */
  readonly from?: string;
}

export interface Answer {
  readonly status: number;
  // The tests name what they expect of an answer; its type would only repeat the schema that is under test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
  readonly text: string;
  readonly headers: Record<string, unknown>;
}

/** Asking a server, as the first admin key unless the request says otherwise. */
export interface Calls {
  call(method: Method, path: string, request?: Request): Promise<Answer>;
  get(path: string, request?: Request): Promise<Answer>;
  post(path: string, body?: unknown, request?: Request): Promise<Answer>;
  put(path: string, body?: unknown, request?: Request): Promise<Answer>;
  patch(path: string, body?: unknown, request?: Request): Promise<Answer>;
  delete(path: string, request?: Request): Promise<Answer>;
}

export interface Api extends Calls {
  readonly app: FastifyInstance;
  readonly store: Store;
  readonly database: Database;
  readonly delivery: Delivery;
  readonly adminKey: string;
  /** Of the link that the first start printed. */
  readonly setupToken: string;
  /** The clock of the database. Set it to move time; it stands still otherwise unless `clock.now` is undefined. */
  readonly clock: { now: number | undefined };
  /** Every line that was logged, parsed. */
  readonly log: readonly Record<string, unknown>[];
  /** The actions written to the audit log by what `body` does, in order. */
  recorded(body: () => Promise<unknown>): Promise<string[]>;
  /** The newest audit entry. */
  lastChange(): Promise<Change>;
  /** Creates a key and returns its text. */
  key(fields: Partial<KeyFields>): Promise<string>;
}

/** Starts a server for the tests of the file; it and its database are gone after them. */
export async function startApi(
  options: Pick<AppOptions, 'acceptPartialPut' | 'newProjects' | 'importPrivateSources' | 'surroundings'> = {},
): Promise<Api> {
  const clock: Api['clock'] = { now: undefined };
  const secrets = createSecrets();
  let auditLog = '';
  // Before the hook that closes the store.
  after(async () => {
    auditLog = JSON.stringify(await store.all(sql`select * from changes`));
  });
  const database = await newDatabase();
  const store = await openStore(database, () => clock.now ?? Date.now());
  after(() => delivery.stop());
  after(() => store.close());
  const firstStart = await setUp(store, {
    adminKeyText: undefined,
    newProjects: options.newProjects ?? 'open',
    transactionId: 'first-start',
  });
  const account = await findAccount(store);
  assert.ok(firstStart && account);
  const { adminKeyText: adminKey, setupToken } = firstStart;
  secrets.add(adminKey, setupToken);
  const log: Record<string, unknown>[] = [];
  const logger = pino({ level: 'debug', base: null }, { write: (line) => void log.push(JSON.parse(line)) });
  const delivery = await startDelivery({ store, log: logger });
  const app = await createApp({ store, account, log: logger, delivery, ...options });
  after(() => app.close());
  after(() => requireDeclaredProblems(log));
  after(() => secrets.requireNone('the log', JSON.stringify(log)));
  after(() => secrets.requireNone('the audit log', auditLog));
  after(() => requireDocumentedFields(log));
  await app.ready();

  const calls = callsTo(app, adminKey, secrets);
  const countChanges = async () =>
    (await store.one<{ total: number }>(sql`select count(*) as total from changes`))?.total;
  const owner = {
    type: 'operator',
    id: 'test',
    name: 'test',
    permissions: permissionsOf(['API_ALL_GRANTED']),
    scope: { kind: 'account' },
  } as const;
  return {
    app,
    store,
    database,
    delivery,
    adminKey,
    setupToken,
    clock,
    log,
    ...calls,
    recorded: async (body) => {
      const before = await countChanges();
      await body();
      // Only the new ones: some files record thousands.
      const rows = await store.all<{ action: string }>(
        sql`select action from changes order by at, id limit 10000 offset ${before}`,
      );
      return rows.map(({ action }) => action);
    },
    lastChange: async () => (await calls.get('/auditLogs?limit=1')).body.data[0],
    key: async (fields) => {
      const all = { name: 'test', type: 'admin', roles: ['API_ALL_GRANTED'], scope: { kind: 'account' } } as const;
      return (await createApiKey(contextFor(store, { actor: owner, transactionId: 'test' }), { ...all, ...fields }))
        .text;
    },
  };
}

/** Asks a server in this process about a database that exists already, with a key that is in it. */
export async function askAbout<Result>(
  databaseUrl: string,
  key: string,
  ask: (calls: Calls) => Promise<Result>,
): Promise<Result> {
  const store = await openStore({ databaseUrl, databasePool: 2 });
  try {
    const account = await findAccount(store);
    assert.ok(account);
    const app = await createApp({ store, account, log: pino({ level: 'silent' }) });
    await app.ready();
    const result = await ask(callsTo(app, key));
    await app.close();
    return result;
  } finally {
    await store.close();
  }
}

/** Without a socket. `secrets` collects the secrets of requests and responses. */
export function callsTo(app: FastifyInstance, adminKey: string, secrets = createSecrets()): Calls {
  const call = async (method: Method, path: string, request: Request = {}): Promise<Answer> => {
    const { as = adminKey, body, text, headers = {}, from = '127.0.0.1' } = request;
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const sent = {
      method,
      url: /^\/(\/|internal|api\/)/.test(path) ? path : prefix + path,
      headers: { ...(as === null ? {} : { authorization: `Bearer ${as}` }), ...headers },
      ...(payload === undefined ? {} : { payload }),
      remoteAddress: from,
    };
    const reply = await inject((raw, response) => app.server.emit('request', raw, response), sent);
    const answer: Answer = {
      status: reply.statusCode,
      body: isJson(reply.headers['content-type']) ? reply.json() : undefined,
      text: reply.body,
      headers: reply.headers,
    };
    secrets.addSent(sent);
    // What is not found is named as the path said it.
    const named = answer.status === 404 ? wordsOfPath(sent.url) : [];
    if (answer.status >= 400) secrets.requireNone('an error', answer.text, named);
    else secrets.addAnswered(answer);
    return answer;
  };
  return {
    call,
    get: (path, request) => call('GET', path, request),
    post: (path, body, request) => call('POST', path, { body, ...request }),
    put: (path, body, request) => call('PUT', path, { body, ...request }),
    patch: (path, body, request) => call('PATCH', path, { body, ...request }),
    delete: (path, request) => call('DELETE', path, request),
  };
}

const isJson = (contentType: unknown) => String(contentType).startsWith('application/json');

/** Asserts a refusal: the status, the sentence, and the error body of the specification around them. */
export function refused(answer: Answer, status: number, message: string | RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(Object.keys(answer.body), ['code', 'message', 'details', 'transactionId']);
  assert.equal(answer.body.code, status);
  if (typeof message === 'string') assert.equal(answer.body.message, message);
  else assert.match(answer.body.message, message);
  assert.equal(answer.body.transactionId, answer.headers['x-transaction-id']);
  assert.ok(String(answer.headers['x-burgee-problem']) in problems, 'the header names a problem that is documented');
}

/** A key without the permission was refused. */
export function lacks(answer: Answer, permission: Permission): void {
  refused(answer, 403, 'Role is insufficient');
  assert.ok(answer.body.details.includes(` lacks the permission ${permission},`), answer.body.details);
}

/** The OpenAPI document lists what each endpoint can refuse; an endpoint that refuses anything else makes it lie. */
function requireDeclaredProblems(log: readonly Record<string, unknown>[]): void {
  const declared = new Map<string, Set<string>>();
  for (const endpoint of everyEndpoint) {
    declared.set(`${endpoint.method} ${endpoint.path}`, new Set(problemsOf(endpoint)));
  }
  const ofTheServer: readonly ProblemCode[] = ['method_not_allowed', 'path_unknown'];
  for (const { method, route, problem } of log) {
    if (typeof problem !== 'string' || (ofTheServer as string[]).includes(problem)) continue;
    const known = declared.get(`${method} ${route}`);
    if (known) assert.ok(known.has(problem), `${method} ${route} does not declare ${problem}`);
  }
}
