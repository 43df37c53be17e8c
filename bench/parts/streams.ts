/** How soon SDKs have a change: over streams, from another node, and with many flags; and what a stream costs. */
import { setTimeout as pause } from 'node:timers/promises';
import { prefix } from '#contract/parts.ts';
import { freePort } from '../../test/support/free-port.ts';
import { environmentName, flagName, projectName } from '../catalogue.ts';
import { instant } from '../measuring.ts';
import { startServant } from '../processes.ts';
import { exactly, median, quantile, type Ratio, ratioOf, spreadOf } from '../ratios.ts';
import type { BareStreamsOrder } from '../reference/bare-streams.ts';
import { answerOf } from '../requests.ts';
import { measureInRounds } from '../rounds.ts';
import { grouped, type Row } from '../rows.ts';
import { type Server, startBurgee } from '../servers.ts';
import type { StreamsOrder } from '../stream-clients.ts';
import type { Bench } from '../workbench.ts';
import { asNewSdk, numberOf, pollSince } from './polls.ts';

const part = 'Streams';
const definition = `${prefix}/splits/ws/${projectName}/${flagName(0)}/environments/${environmentName}`;
let changes = 0;

/** Makes one change. Returns when it was sent. */
async function change(server: Server): Promise<number> {
  changes += 1;
  const body = [{ op: 'add', path: '/treatments/0/description', value: `change ${changes}` }];
  const sentAt = instant();
  await answerOf(server, { method: 'PATCH', path: definition, body });
  return sentAt;
}

/** The address of a stream, with a token that is good for all of them. */
async function streamPath(sdk: Server): Promise<string> {
  const plain = { ...sdk, headers: { authorization: sdk.headers.authorization ?? '' } };
  const { token } = await answerOf<{ token: string }>(plain, { method: 'GET', path: '/api/v2/auth?s=1.3' });
  return `/sse?accessToken=${token}&v=1.1&heartbeats=true&channels=all`;
}

const update = 'SPLIT_UPDATE';
/** Until what opening streams leaves behind has settled. */
const settleMs = 3_000;

function startClients(bench: Bench) {
  const servant = bench.started(startServant<StreamsOrder, number[]>('./stream-clients.ts', 'asking'));
  return {
    open: (port: number, path: string, count: number) => servant.ask({ kind: 'open', port, path, count }),
    /** How long after `send` was called each stream had its message. */
    arrivals: async (text: string, send: () => Promise<number>): Promise<number[]> => {
      const waiting = servant.ask({ kind: 'wait', text });
      // The order must be there before the message.
      await pause(20);
      const sentAt = await send();
      return (await waiting).map((time) => time - sentAt);
    },
    stop: servant.stop,
  };
}

/** All streams of one server. */
export async function measureFanOut(bench: Bench, { url, streams }: { url: string; streams: number }): Promise<Row[]> {
  bench.tell(`${grouped(streams)} streams, one change: Burgee, bare node:http`);
  const burgee = bench.started(await startBurgee(url));
  const sdk = await asNewSdk(burgee);
  const ours = startClients(bench);
  const path = await streamPath(sdk);
  // Loads the environment, so that this is not counted as memory of streams.
  await numberOf(sdk);
  const ourBytes = await growthOf(burgee, () => ours.open(burgee.port, path, streams));
  const message = await sampleMessage(burgee, path, () => change(burgee));

  const bare = bench.started(startServant<BareStreamsOrder, number>('./reference/bare-streams.ts', 'serving'));
  const port = await bare.ask({ first: ':keepalive\n\n' });
  const theirs = startClients(bench);
  const theirBytes = await growthOf(bare, () => theirs.open(port, '/', streams));

  const sendBare = async () => {
    const sentAt = instant();
    await bare.ask({ send: message });
    return sentAt;
  };
  const samples = await measureInRounds(
    [
      { name: 'Burgee', measure: () => ours.arrivals(update, () => change(burgee)) },
      { name: 'bare', measure: () => theirs.arrivals(update, sendBare) },
    ],
    { count: bench.rounds, tell: () => undefined },
  );
  for (const thing of [ours, theirs, burgee, bare]) await thing.stop();
  const p99 = (times: readonly number[]) => quantile(times, 0.99);
  const perStream = (bytes: number) => `${(bytes / streams / 1_024).toFixed(1)} KB a stream`;
  return [
    {
      part,
      work: `${grouped(streams)} streams, one change: p99 of when they have it`,
      against: 'bare node:http, the same bytes',
      ratio: ratioOf(samples('Burgee'), samples('bare'), p99),
      bar: { atMost: 1.5 },
      ours: `${Math.round(median(samples('Burgee').map(p99)))} ms`,
      theirs: `${Math.round(median(samples('bare').map(p99)))} ms`,
    },
    {
      part,
      work: 'Memory of an idle stream',
      against: 'bare node:http',
      ratio: exactly(ourBytes / theirBytes),
      bar: { atMost: 1.8 },
      ours: perStream(ourBytes),
      theirs: perStream(theirBytes),
      ...(Number.isNaN(ourBytes) ? { notJudged: 'the system does not tell' } : {}),
    },
  ];
}

async function growthOf(process: { residentBytes(): number | undefined }, work: () => Promise<unknown>) {
  const before = process.residentBytes() ?? Number.NaN;
  await work();
  await pause(settleMs);
  return (process.residentBytes() ?? Number.NaN) - before;
}

/** A message as a stream gets it, so that the bare server sends the same bytes. */
async function sampleMessage(server: Server, path: string, send: () => Promise<unknown>): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}`);
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('the stream has no body');
  let text = '';
  const read = async () => {
    const { value } = await reader.read();
    text += value ?? '';
  };
  await read();
  await send();
  while (!/SPLIT_UPDATE[^\n]*\n\n/.test(text)) await read();
  await reader.cancel();
  return `${text.slice(text.lastIndexOf('id:', text.indexOf(update))).split('\n\n')[0]}\n\n`;
}

/** Nodes that have just started compile what a change runs: their first ten take three times as long. */
const warmUpChanges = 20;

/** One stream on the node where the change is made, and one on another node of the same database. */
export async function measureArrival(
  bench: Bench,
  { server, url, changes: count }: { server: Server; url: string; changes: number },
): Promise<Row[]> {
  bench.tell(`${count} changes: until an SDK has them, on one node and from another`);
  const [one, other] = [
    bench.started(await startBurgee(url, 'anywhere')),
    bench.started(await startBurgee(url, 'anywhere')),
  ];
  const timesOf = async (changed: Server, streaming: Server): Promise<number[]> => {
    const clients = startClients(bench);
    await clients.open(streaming.port, await streamPath(await asNewSdk(changed)), 1);
    const times: number[] = [];
    for (let turn = 0; turn < warmUpChanges + count; turn += 1) {
      times.push(...(await clients.arrivals(update, () => change(changed))));
    }
    await clients.stop();
    return times.slice(warmUpChanges);
  };
  const onSqlite = await timesOf(server, server);
  const onOne = await timesOf(one, one);
  const fromOther = await timesOf(one, other);
  for (const node of [one, other]) await node.stop();
  const p99 = (times: readonly number[]) => quantile(times, 0.99);
  const text = (times: readonly number[]) => `p50 ${median(times).toFixed(1)} ms, p99 ${p99(times).toFixed(1)} ms`;
  const row = (work: string, against: string, value: number, ours: string, theirs: string): Row => ({
    part,
    work,
    against,
    ratio: exactly(value),
    bar: { atMost: 50 },
    ours,
    theirs,
  });
  return [
    row('Change → SDK has it, SQLite: p99 in ms', 'a limit', p99(onSqlite), text(onSqlite), ''),
    row('Change → SDK has it, PostgreSQL: p99 in ms', 'a limit', p99(onOne), text(onOne), ''),
    row(
      'Change on another node → SDK has it: p99 in ms more',
      'on the same node',
      p99(fromOther) - p99(onOne),
      text(fromOther),
      text(onOne),
    ),
  ];
}

interface Spread {
  /** Until every polling client has the change. */
  readonly everyoneMs: number;
  /** The longest wait for an answer meanwhile. */
  readonly longestMs: number;
  /** The longest pause of the server's event loop meanwhile. */
  readonly pauseMs: number;
}

const pollers = 32;

/** A database with this many flags. */
interface Catalogued {
  readonly url: string;
  readonly flags: number;
}

/** One change, while clients poll all the time. */
export async function measureSizes(bench: Bench, { few, many }: Record<'few' | 'many', Catalogued>): Promise<Row[]> {
  bench.tell('One change until everyone polling has it, with few flags and with many');
  const spreads = new Map<string, { server: Server; sdk: Server; metricsPort: number }>();
  for (const [name, { url }] of Object.entries({ few, many })) {
    const metricsPort = await freePort();
    const server = bench.started(await startBurgee(url, 'serving', metricsPort));
    spreads.set(name, { server, sdk: await asNewSdk(server), metricsPort });
  }
  const measure = async (name: string): Promise<Spread> => {
    const { server, sdk, metricsPort } = spreads.get(name) as NonNullable<ReturnType<typeof spreads.get>>;
    const since = await numberOf(sdk);
    let longestMs = 0;
    const poll = async (): Promise<number> => {
      for (;;) {
        const askedAt = instant();
        const { ff } = await answerOf<{ ff: { t: number } }>(
          { ...sdk, headers: { authorization: sdk.headers.authorization ?? '' } },
          pollSince(since),
        );
        const now = instant();
        longestMs = Math.max(longestMs, now - askedAt);
        if (ff.t > since) return now;
      }
    };
    const waiting = Promise.all(Array.from({ length: pollers }, poll));
    await pause(200);
    await longestPauseMs(metricsPort);
    const sentAt = await change(server);
    const everyoneMs = Math.max(...(await waiting)) - sentAt;
    return { everyoneMs, longestMs, pauseMs: await longestPauseMs(metricsPort) };
  };
  for (const name of spreads.keys()) await measure(name);
  const samples = await measureInRounds(
    ['many', 'few'].map((name) => ({ name, measure: () => measure(name) })),
    { count: bench.rounds, tell: () => undefined },
  );
  for (const { server } of spreads.values()) await server.stop();
  const ratio: Ratio = ratioOf(samples('many'), samples('few'), ({ everyoneMs }) => everyoneMs);
  const text = (name: string) => {
    const [everyone, longest] = [
      median(samples(name).map(({ everyoneMs }) => everyoneMs)),
      median(samples(name).map(({ longestMs }) => longestMs)),
    ];
    return `${everyone.toFixed(0)} ms; longest wait ${longest.toFixed(0)} ms`;
  };
  return [
    {
      part: 'Many flags',
      work: `One change until everyone polling has it, ${grouped(many.flags)} flags`,
      against: `${grouped(few.flags)} flags`,
      ratio,
      bar: { atMost: 3 },
      ours: text('many'),
      theirs: text('few'),
    },
    {
      part: 'Many flags',
      work: `Longest pause of the event loop at that change, ${grouped(many.flags)} flags, in ms`,
      against: 'a limit',
      ratio: spreadOf(samples('many').map(({ pauseMs }) => pauseMs)),
      bar: { atMost: 25 },
      ours: '',
      theirs: '',
    },
  ];
}

/** Of the server's event loop since this was last asked for. */
async function longestPauseMs(metricsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1_000;
}
