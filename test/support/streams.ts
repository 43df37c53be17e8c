/** Official SDKs, unmodified, and streams read frame by frame, as clients of a server that listens. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { SplitFactory } from '@splitsoftware/splitio';
import { SplitFactory as BrowserFactory, DebugLogger } from '@splitsoftware/splitio-browserjs';
import type { Api } from './app.ts';
import { listening } from './sdk.ts';
import { until } from './until.ts';

/** Makes the server listen. What SDKs get from it is added to `requests`: the paths and queries. */
export async function listenTo({ app }: Pick<Api, 'app'>): Promise<{ base: string; requests: string[] }> {
  const requests: string[] = [];
  app.server.on('request', ({ method, url = '' }: IncomingMessage) => {
    if (method === 'GET' && url.startsWith('/api/')) requests.push(url);
  });
  return { base: await listening({ app }), requests };
}

export interface StreamingSdk {
  treatmentOf(flag: string, key?: string): string;
  configOf(flag: string, key?: string): string | null;
  /** Waits until the flag has the treatment. */
  gets(treatment: string, flag: string, key?: string): Promise<void>;
  /** What it logged, from debug on. */
  readonly lines: readonly string[];
  /** Its warnings and errors, except that there are other SDKs. */
  complaints(): string[];
  /** Waits until it has logged this `times` times. */
  says(text: string, times?: number): Promise<void>;
  /** Waits until it has read what it reads after its stream was opened: no request arrives any more. */
  settled(requests: readonly string[]): Promise<void>;
  destroy(): Promise<void>;
}

export interface SdkOptions {
  readonly streaming?: boolean;
  /** Makes it a client-side one, for this key. */
  readonly user?: string;
}

/** Said by an SDK whose stream is open. */
export const connected = 'Streaming connected. Syncing and stopping polling.';

/** Flags and segments have arrived, and its stream is open. It ends with the tests. */
export async function anSdk(
  base: string,
  key: string,
  { streaming = true, user }: SdkOptions = {},
): Promise<StreamingSdk> {
  const lines: string[] = [];
  const complaints: string[] = [];
  const note = (line: string) => void lines.push(line);
  const complain = (line: string) => {
    if (!line.includes('You already have')) complaints.push(line);
  };
  const settings = {
    urls: { sdk: `${base}/api`, events: `${base}/api`, auth: `${base}/api`, streaming: base, telemetry: `${base}/api` },
    streamingEnabled: streaming,
    startup: { readyTimeout: 60 },
    sync: { impressionsMode: 'NONE' },
    // Long, so that what arrives came by the stream; except for what it does while the stream is gone.
    scheduler: { featuresRefreshRate: 3_600, segmentsRefreshRate: 3_600, pushRetryBackoffBase: 0.1 },
    debug: 'DEBUG',
    logger: { debug: note, info: note, warn: complain, error: complain },
  } as const;
  if (user !== undefined) provideEventSource();
  const client =
    user === undefined
      ? SplitFactory({ ...settings, core: { authorizationKey: key } }).client()
      : BrowserFactory({ ...settings, debug: DebugLogger(), core: { authorizationKey: key, key: user } }).client();
  after(() => client.destroy());
  await client.whenReady();
  const evaluate = (flag: string, of = 'anyone') =>
    user === undefined
      ? (client as SplitIO.IClient).getTreatmentWithConfig(of, flag)
      : (client as SplitIO.IBrowserClient).getTreatmentWithConfig(flag);
  const treatmentOf = (flag: string, of?: string) => evaluate(flag, of).treatment;
  const says = (text: string, times = 1) =>
    until(`the SDK says ${text}`, () => lines.filter((line) => line.includes(text)).length >= times);
  if (streaming) await says(connected);
  return {
    treatmentOf,
    configOf: (flag, of) => evaluate(flag, of).config,
    gets: (treatment, flag, of) => until(`${flag} gets ${treatment}`, () => treatmentOf(flag, of) === treatment),
    lines,
    complaints: () => complaints,
    says,
    settled: async (requests) => {
      let seen = -1;
      await until('the SDK has read everything', async () => {
        const isQuiet = requests.length === seen;
        seen = requests.length;
        await pause(300);
        return isQuiet;
      });
    },
    destroy: () => client.destroy(),
  };
}

/** Browsers have one; Node does not by default. This is what the SDK for Node brings along. */
function provideEventSource(): void {
  const fromSdk = createRequire(createRequire(import.meta.url).resolve('@splitsoftware/splitio'));
  const eventSource = fromSdk('@splitsoftware/splitio/cjs/platform/getEventSource/eventsource') as typeof EventSource;
  Object.assign(globalThis, { EventSource: eventSource });
}

/** The inner message of a frame. */
export type StreamMessage = Record<string, unknown> & { readonly type?: string };

export interface RawStream {
  readonly response: IncomingMessage;
  /** Everything that arrived. */
  text(): string;
  /** Every frame's data, parsed, in order. */
  frames(): { readonly channel: string; readonly name?: string; readonly message: StreamMessage }[];
  /** The messages, without those about occupancy. */
  messages(): StreamMessage[];
  /** Waits for the message of this type with this number. */
  receives(type: string, number: number): Promise<StreamMessage>;
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>;
  close(): void;
}

export async function tokenFor(base: string, key: string, query = ''): Promise<string> {
  const reply = await fetch(`${base}/api/v2/auth?s=1.3${query}`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(reply.status, 200, await reply.clone().text());
  return ((await reply.json()) as { token: string }).token;
}

/** As an SDK opens it; `query` is for `/api/v2/auth`. */
export async function openStream(base: string, key: string, query = ''): Promise<RawStream> {
  return streamWith(base, await tokenFor(base, key, query));
}

export async function streamWith(
  base: string,
  token: string,
  { path = '/sse', headers = {} }: { readonly path?: string; readonly headers?: Record<string, string> } = {},
): Promise<RawStream> {
  const url = `${base}${path}?channels=a&accessToken=${token}&v=1.1&heartbeats=true`;
  const request = get(url, { agent: false, headers });
  after(() => request.destroy());
  const response = await responseTo(request);
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = new Promise<void>((resolve) => void response.once('close', resolve));
  const frames = () =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => {
      const frame = JSON.parse(data);
      return { ...frame, message: JSON.parse(frame.data) };
    });
  const messages = () => frames().flatMap(({ name, message }) => (name ? [] : message));
  const numberOf = ({ changeNumber, cn }: StreamMessage) => changeNumber ?? cn;
  return {
    response,
    text: () => text,
    frames,
    messages,
    receives: async (type, number) => {
      const found = () => messages().find((message) => message.type === type && numberOf(message) === number);
      await until(`${type} ${number}`, () => found() !== undefined);
      return found() as StreamMessage;
    },
    ended,
    close: () => request.destroy(),
  };
}

async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  // A test that ends it gets no error.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  return response;
}

/** The text of `d`. */
export function unpacked({ c, d }: StreamMessage): string {
  assert.equal(c, 2);
  return inflateSync(Buffer.from(String(d), 'base64')).toString('latin1');
}
