/** Changes in quick succession: each is announced, whenever it comes. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { pino } from 'pino';
import type { FeedChange } from '#delivery/changes.ts';
import { createStreams } from '#delivery/streams.ts';
import { until } from '../support/until.ts';

const environmentId = 'environment';

/** The change of a flag that makes it the number; the one before was the last. */
const aChange = (number: number): FeedChange => {
  const flag = { name: 'flag', number, text: Buffer.from('{}'), isKilled: false, defaultTreatment: 'off' };
  const at = (flagsNumber: number) => ({ environmentId, flagsNumber, ruleBasedNumber: -1 }) as FeedChange['before'];
  const nothingElse = { ruleBasedSegments: [], segments: [], isRestored: false };
  return { environmentId, before: at(number - 1), after: at(number), flags: [flag], ...nothingElse };
};

/** An open stream, and a function that announces a changed flag to it. `written` is called with what is written to it. */
async function aStream(written: (bytes: string) => void) {
  const listeners: ((change: FeedChange) => void)[] = [];
  const streams = createStreams({
    feed: { subscribe: (listener) => void listeners.push(listener) },
    keys: { onRevoked: () => undefined },
    log: pino({ level: 'silent' }),
    now: Date.now,
  });
  const open = (_: IncomingMessage, response: ServerResponse) => {
    const write = response.write.bind(response) as (bytes: string) => boolean;
    response.write = (bytes: unknown) => {
      written(String(bytes));
      return write(bytes as string);
    };
    const subscriber = { keyId: 'key', type: 'server_side', environmentId, spec: '1.3', sdk: undefined } as const;
    streams.open({ ...subscriber, expiresAt: Number.POSITIVE_INFINITY }, response);
  };
  const server = createServer(open).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, agent: false }).on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  after(async () => {
    await streams.end();
    server.close();
  });
  const change = (number: number) => {
    for (const listener of listeners) listener(aChange(number));
  };
  return { change, has: (number: number) => text.includes(`\\"changeNumber\\":${number},`) };
}

test('a change that comes at any moment after the one before was written is told', async () => {
  const wait = async (ticks: number) => {
    for (let tick = 0; tick < ticks; tick += 1) await undefined;
  };
  for (let ticks = 0; ticks < 12; ticks += 1) {
    const stream = await aStream((bytes) => {
      if (bytes.includes('"changeNumber\\":1,')) void wait(ticks).then(() => stream.change(2));
    });
    stream.change(1);
    await until(`the second is told, ${ticks} ticks after the first`, () => stream.has(2), { timeoutMs: 2_000 });
  }
});
