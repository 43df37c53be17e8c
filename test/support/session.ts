/** Signed-in people, and the requests of their browsers. */
import assert from 'node:assert/strict';
import { argon2Sync, randomBytes } from 'node:crypto';
import { after } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import sql, { raw } from 'sql-template-tag';
import { acceptInvitationIn } from '#commands/accounts.ts';
import { contextFor, write } from '#commands/context.ts';
import * as accounts from '#contract/accounts.ts';
import { type Endpoint, problemsOf } from '#contract/endpoint.ts';
import { accountPrefix } from '#contract/parts.ts';
import type { Actor } from '#domain/access.ts';
import { hashPassword } from '#security/password-hash.ts';
import { findAccount } from '#store/account.ts';
import { listMails, type Mail } from '#store/outbox.ts';
import { createApp } from '../../src/app.ts';
import { type Answer, type Api, type Request, startApi } from './app.ts';
import { uniqueName } from './build.ts';
import { tablesOf } from './databases.ts';
import { until } from './until.ts';

export const host = 'flags.test';
export const origin = `http://${host}`;
export const goodPassword = 'nine violet kites drift';

/** The path of an endpoint of accounts. */
export const account = (path: string): string => accountPrefix + path;

/** Somebody with a session. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** The text of the cookie, as a browser sends it back. */
  readonly cookie: string;
  /** For calls in the person's session. */
  readonly signedIn: Request;
}

/** The server for the tests of the file; it must refuse nothing that its endpoints do not declare. */
export async function startAccounts(): Promise<Api> {
  const api = await startApi();
  const endpoints = Object.values<Endpoint>(accounts);
  after(() => {
    for (const { method, route, problem } of api.log) {
      const endpoint = endpoints.find((one) => one.method === method && account(one.path) === route);
      if (!endpoint || typeof problem !== 'string') continue;
      assert.ok((problemsOf(endpoint) as string[]).includes(problem), `${method} ${route} does not declare ${problem}`);
    }
  });
  return api;
}

/** A second server on the same database, for a PUBLIC_URL of its own. */
export async function startAt(api: Api, publicUrl: string | undefined, trustProxy?: string): Promise<FastifyInstance> {
  const installation = await findAccount(api.store);
  assert.ok(installation);
  const log = pino({ level: 'silent' });
  const app = await createApp({ store: api.store, account: installation, log, publicUrl, trustProxy });
  after(() => app.close());
  return app;
}

/** What a browser sends from a page of ours; with the cookie, if there is one. */
export const fromBrowser = (cookie?: string): Request => ({
  as: null,
  headers: { host, origin, ...(cookie === undefined ? {} : { cookie }) },
  from: anAddress(),
});

let addresses = 0;
/** An address that nobody else has, so that no test is slowed down by what another one tried. */
export function anAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

export const anEmail = (): string => `${uniqueName('person')}@example.com`;

/** The cookie that a response sets, with its attributes. */
export function cookieOf({
  headers,
}: Pick<Answer, 'headers'>): { pair: string; token: string; attributes: string[] } | undefined {
  const [line] = [headers['set-cookie'] ?? []].flat() as string[];
  if (line === undefined) return undefined;
  const [pair = '', ...attributes] = line.split('; ');
  return { pair, token: pair.slice(pair.indexOf('=') + 1), attributes };
}

/** The first administrator, by the link of the first start: once for each server. */
export async function setUpAdministrator(api: Api): Promise<Person> {
  const fields = { email: anEmail(), name: 'Grace Hopper', password: goodPassword };
  const answer = await api.post(account('/setup'), { token: api.setupToken, ...fields }, fromBrowser());
  return toPerson(answer, fields.password);
}

/** A PENDING user and the token of the mail's link. */
export async function invite(api: Api, fields: { email?: string; groups?: string[] } = {}) {
  const email = fields.email ?? anEmail();
  const { status, body, text } = await api.post('/users', { ...fields, email });
  assert.equal(status, 200, text);
  return { id: body.id as string, email, token: await tokenFor(api, email, 'invitation') };
}

/**
 * An ACTIVE user with a session, by invitation. Most have the same password, which is hashed once; those with another
 * one accept through the API.
 */
export async function aPerson(
  api: Api,
  { name = 'Ada Lovelace', password = goodPassword, groups = [] as string[] } = {},
): Promise<Person> {
  const { id, email, token } = await invite(api, { groups });
  if (password !== goodPassword)
    return toPerson(await api.post(account(`/invitations/${token}`), { name, password }, fromBrowser()), password);
  goodHash ??= hashPassword(goodPassword);
  const accepted = { token, name, passwordHash: await goodHash, address: anAddress(), agent: '' };
  const asking = { actor: anonymous, transactionId: 'test' };
  const started = await write(contextFor(api.store, asking), (tx) => acceptInvitationIn(tx, accepted));
  const cookie = `burgee_session=${started.token}`;
  return { id, name, email, password, cookie, signedIn: fromBrowser(cookie) };
}

let goodHash: Promise<string> | undefined;
const anonymous: Actor = {
  type: 'anonymous',
  id: 'test',
  name: 'test',
  permissions: new Set(),
  scope: { kind: 'account' },
};

/** A hash as an earlier or later release may have left it. */
export function hashWith(memory: number, passes: number, password: string): string {
  const nonce = randomBytes(16);
  const message = Buffer.from(password);
  const tag = argon2Sync('argon2id', { message, nonce, memory, passes, parallelism: 1, tagLength: 32 });
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${text(nonce)}$${text(tag)}`;
}

export const saveHash = ({ store }: Api, email: string, hash: string): Promise<unknown> =>
  store.write((tx) => tx.run(sql`update users set password_hash = ${hash} where email = ${email}`));

export const administratorsId = async (api: Api): Promise<string> =>
  (await api.get('/groups?limit=1')).body.objects[0].id;

/** Signs in, from an address of its own unless the request says otherwise. */
export const signIn = (
  api: Api,
  { email, password, code }: { email: string; password: string; code?: string },
  request: Request = {},
): Promise<Answer> => api.post(account('/session'), { email, password, code }, { ...fromBrowser(), ...request });

/** Asks for a link to a new password, and waits for what the server does after its answer. */
export async function askForReset(api: Api, email: string, request = fromBrowser()): Promise<Answer> {
  const requested = () =>
    api.store.all(sql`
      select id from changes
       where action = 'user.password_reset_requested' and lower(object_name) = ${email.toLowerCase()}`);
  const before = (await requested()).length;
  const answer = await api.post(account('/password-reset'), { email }, request);
  if (answer.status === 200) await until('the request is recorded', async () => (await requested()).length > before);
  return answer;
}

/** The mails that wait for somebody, oldest first. */
export const mailsTo = async (api: Api, email: string, kind: Mail['kind']): Promise<Mail[]> =>
  (await listMails(api.store))
    .map(({ payload }) => payload)
    .filter((mail) => mail.email === email && mail.kind === kind);

/** The token of the only mail of the kind that waits for somebody. */
export async function tokenFor(api: Api, email: string, kind: Mail['kind']): Promise<string> {
  const mails = await mailsTo(api, email, kind);
  assert.equal(mails.length, 1);
  return mails[0]?.token ?? '';
}

/** The tables that contain a text anywhere. */
export async function tablesWith({ store }: Api, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await tablesOf(store)) {
    const rows = await store.all(sql`select * from ${raw(name)}`);
    if (JSON.stringify(rows).includes(text)) found.push(name);
  }
  return found;
}

/** A response without the parts that always differ. */
export const timeless = ({ status, body, headers }: Answer) => {
  const { 'x-transaction-id': _, date: __, ...rest } = headers;
  return { status, body: body?.transactionId ? { ...body, transactionId: '' } : body, headers: rest };
};

function toPerson(answer: Answer, password: string): Person {
  assert.equal(answer.status, 200, answer.text);
  const { pair: cookie } = cookieOf(answer) ?? assert.fail('no cookie');
  const { id, name, email } = answer.body.user;
  return { id, name, email, password, cookie, signedIn: fromBrowser(cookie) };
}
