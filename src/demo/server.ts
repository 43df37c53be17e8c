/** A server on a new database whose clock can be moved, to create a history of any length. */

import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { setUp } from '#commands/setup.ts';
import { accountPrefix, prefix } from '#contract/parts.ts';
import { hourMs } from '#domain/durations.ts';
import { findAccount } from '#store/account.ts';
import { openStore } from '#store/open.ts';
import { listMails } from '#store/outbox.ts';
import { createApp } from '../app.ts';

/** Calls the Admin API; throws if it refuses. */
// biome-ignore lint/suspicious/noExplicitAny: JSON, whose shape the contract gives
export type Api = (method: string, path: string, body?: unknown) => Promise<any>;

/** The first administrator. Everyone else has the same password. */
export const ana = { name: 'Ana Ruiz', email: 'ana@example.org', password: 'nine violet kites drift' };

export interface Server {
  readonly url: string;
  readonly setupToken: string;
  /** The server's clock; undefined for the real time. */
  readonly clock: { now: number | undefined };
  /** Makes Ana the first administrator. */
  firstAdministrator(): Promise<Api>;
  /** Accepts the invitation that waits for the address. */
  accept(email: string, name: string): Promise<Api>;
  /** Calls with the first key, as a machine does. */
  readonly asMachine: Api;
  stop(): Promise<void>;
}

/** Half of the time after which an idle session ends. */
const sixHours = 6 * hourMs;

/** `since`: when it was started for the first time. */
export async function startServer(databaseUrl: string, since?: number): Promise<Server> {
  const clock: Server['clock'] = { now: since };
  const store = await openStore({ databaseUrl, databasePool: 1 }, () => clock.now ?? Date.now());
  const firstStart = await setUp(store, { adminKeyText: undefined, transactionId: 'first-start' });
  const account = await findAccount(store);
  if (!firstStart || !account) throw new Error('The database is not empty');
  const app = await createApp({ store, account, log: pino({ level: 'silent' }) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const reply = await fetch(url + path, init);
    if (!reply.ok) throw new Error(`${init.method} ${path}: ${await reply.text()}`);
    return reply;
  };
  const apiWith =
    (headers: Record<string, string>): Api =>
    async (method, path, body) => {
      const content = body === undefined ? {} : { body: JSON.stringify(body) };
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      return (await send(prefix + path, { method, headers: { ...headers, ...type }, ...content })).json();
    };
  const post = (path: string, body: unknown) =>
    send(accountPrefix + path, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** Sessions expire after some idle hours, so people sign in again after the clock has moved. */
  const person = (email: string): Api => {
    let session: { at: number; api: Api } | undefined;
    return async (...request) => {
      const at = store.clock();
      if (session === undefined || Math.abs(at - session.at) > sixHours) {
        const reply = await post('/session', { email, password: ana.password });
        const [cookie = ''] = (reply.headers.get('set-cookie') ?? '').split(';');
        session = { at, api: apiWith({ origin: url, cookie }) };
      }
      return session.api(...request);
    };
  };
  return {
    url,
    setupToken: firstStart.setupToken,
    clock,
    firstAdministrator: async () => {
      await post('/setup', { token: firstStart.setupToken, ...ana });
      return person(ana.email);
    },
    accept: async (email, name) => {
      const mail = (await listMails(store)).find(({ payload }) => payload.email === email)?.payload;
      await post(`/invitations/${mail?.token}`, { name, password: ana.password });
      return person(email);
    },
    asMachine: apiWith({ authorization: `Bearer ${firstStart.adminKeyText}` }),
    stop: async () => {
      await app.close();
      await store.close();
    },
  };
}
