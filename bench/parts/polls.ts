/** What SDKs poll, and evaluation over HTTP: against bare servers with the same answer, and against Unleash. */
import { prefix } from '#contract/parts.ts';
import { startBare } from '../bare-servers.ts';
import { environmentName, flagName, projectName } from '../catalogue.ts';
import type { Asked } from '../load.ts';
import { asked, compare } from '../measuring.ts';
import { answerOf, rawAnswerOf } from '../requests.ts';
import { type Row, throughputRow } from '../rows.ts';
import { type Server, startBurgee } from '../servers.ts';
import { asSdk } from '../unleash.ts';
import type { Bench } from '../workbench.ts';

const part = 'Polls';
const clients = 32;
const everything: Asked = { method: 'GET', path: '/api/splitChanges?s=1.3&since=-1&rbSince=-1' };

/** The server as an SDK asks it, with a new server-side key of the environment. */
export async function asNewSdk(server: Server): Promise<Server> {
  const get = <Body>(path: string) => answerOf<Body>(server, { method: 'GET', path: prefix + path });
  const { objects } = await get<{ objects: { id: string; name: string }[] }>('/workspaces');
  const project = objects.find(({ name }) => name === projectName);
  const environments = await get<{ id: string; name: string }[]>(`/environments/ws/${project?.id}`);
  const environment = environments.find(({ name }) => name === environmentName);
  const { key } = await answerOf<{ key: string }>(server, {
    method: 'POST',
    path: `${prefix}/apiKeys`,
    body: {
      name: 'bench',
      apiKeyType: 'server_side',
      workspace: { type: 'workspace', id: project?.id },
      environments: [{ type: 'environment', id: environment?.id }],
    },
  });
  return { ...server, headers: { ...sdkHeaders, authorization: `Bearer ${key}` } };
}

/** As the official ones send them. */
const sdkHeaders = {
  'accept-encoding': 'gzip',
  splitsdkversion: 'nodejs-11.11.2',
  splitsdkmachinename: 'web-1',
  splitsdkmachineip: '10.0.0.1',
};

interface Changes {
  readonly ff: { readonly t: number };
}

/** The number that the SDK has after a poll. */
export async function numberOf(sdk: Server): Promise<number> {
  const plain = { ...sdk, headers: { authorization: sdk.headers.authorization ?? '' } };
  return (await answerOf<Changes>(plain, everything)).ff.t;
}

export const pollSince = (since: number): Asked => ({
  method: 'GET',
  path: `/api/splitChanges?s=1.3&since=${since}&rbSince=-1`,
});

const worksOf = async (sdk: Server, flags: number): Promise<[work: string, request: Asked][]> => [
  ['Poll, nothing new', pollSince(await numberOf(sdk))],
  [`Poll from -1, ${flags} flags, gzip`, everything],
];

interface Polled {
  readonly burgee: Server;
  readonly flags: number;
}

export async function measurePolls(bench: Bench, { burgee, flags }: Polled): Promise<Row[]> {
  const sdk = await asNewSdk(burgee);
  const rows: Row[] = [];
  for (const [work, request] of await worksOf(sdk, flags)) {
    const bare = await startBare(bench, 'bare-http', await rawAnswerOf(sdk, request));
    const samples = await compare(inShortRounds(bench), `${work}, ${clients} connections`, {
      Burgee: asked(bench, [sdk], { clients, requests: [request] }),
      'bare node:http': asked(bench, [{ ...bare, headers: sdk.headers }], { clients, requests: [request] }),
    });
    await bare.stop();
    const [ours, theirs] = [samples('Burgee'), samples('bare node:http')];
    rows.push(throughputRow({ part, work, against: 'bare node:http', ours, theirs }, 0.8));
  }
  return rows;
}

export async function measurePollsOfUnleash(
  bench: Bench,
  { burgee, unleash, flags }: Polled & { readonly unleash: Server },
): Promise<Row[]> {
  const sdk = await asNewSdk(burgee);
  const peer = withHeader(asSdk(unleash), 'accept-encoding', 'gzip');
  const features: Asked = { method: 'GET', path: '/api/client/features' };
  const { etag } = (await rawAnswerOf(peer, features)).headers;
  if (etag === undefined) throw new Error('Unleash sends no ETag');
  const rows: Row[] = [];
  for (const [work, request] of await worksOf(sdk, flags)) {
    const isNothingNew = request !== everything;
    const asking = isNothingNew ? withHeader(peer, 'if-none-match', etag) : peer;
    const samples = await compare(bench, `${work}, against Unleash`, {
      Burgee: asked(bench, [sdk], { clients, requests: [request] }),
      Unleash: asked(bench, [asking], { clients, requests: [features] }),
    });
    const against = `Unleash, ${isNothingNew ? 'with' : 'without'} ETag`;
    rows.push(throughputRow({ part, work, against, ours: samples('Burgee'), theirs: samples('Unleash') }, 25));
  }
  return rows;
}

export async function measurePollsOnPostgres(
  bench: Bench,
  { sqlite, url }: { sqlite: Server; url: string },
): Promise<Row[]> {
  const node = bench.started(await startBurgee(url));
  const [onSqlite, onPostgres] = [await asNewSdk(sqlite), await asNewSdk(node)];
  const rows: Row[] = [];
  const [ours, theirs] = [await worksOf(onPostgres, 1_000), await worksOf(onSqlite, 1_000)];
  for (const [index, [work, request]] of ours.entries()) {
    const other = theirs[index]?.[1] ?? everything;
    const samples = await compare(inShortRounds(bench), `${work}, on PostgreSQL`, {
      PostgreSQL: asked(bench, [onPostgres], { clients, requests: [request] }),
      SQLite: asked(bench, [onSqlite], { clients, requests: [other] }),
    });
    const compared = { part, work: `${work}, on PostgreSQL`, against: 'on SQLite' };
    rows.push(throughputRow({ ...compared, ours: samples('PostgreSQL'), theirs: samples('SQLite') }, 0.95));
  }
  await node.stop();
  return rows;
}

/** A flag with five rules, of which the last holds. */
export async function measureEvaluation(bench: Bench, burgee: Server): Promise<Row[]> {
  const definition = `${prefix}/splits/ws/${projectName}/${flagName(1)}/environments/${environmentName}`;
  const rules = [1, 2, 3, 4, 5].map((rule) => ({
    condition: {
      combiner: 'AND',
      matchers: [{ type: 'IN_LIST_STRING', attribute: 'plan', strings: [`plan-${rule}`] }],
    },
    buckets: [{ treatment: 'on', size: 100 }],
  }));
  await answerOf(burgee, {
    method: 'PATCH',
    path: definition,
    body: [{ op: 'replace', path: '/rules', value: rules }],
  });
  const sdk = await asNewSdk(burgee);
  const evaluation: Asked = {
    method: 'POST',
    path: `/ofrep/v1/evaluate/flags/${flagName(1)}`,
    body: { context: { targetingKey: 'customer-4711', plan: 'plan-5', country: 'DE' } },
  };
  const plain = { ...sdk, headers: { authorization: sdk.headers.authorization ?? '' } };
  const bare = await startBare(bench, 'bare-evaluation', await rawAnswerOf(plain, evaluation));
  const samples = await compare(inShortRounds(bench), 'OFREP, one flag with five rules', {
    Burgee: asked(bench, [plain], { clients, requests: [evaluation] }),
    'bare Fastify': asked(bench, [bare], { clients, requests: [evaluation] }),
  });
  await bare.stop();
  const compared = { part: 'Evaluation over HTTP', work: 'OFREP, one flag with five rules' };
  return [
    throughputRow(
      { ...compared, against: 'bare Fastify', ours: samples('Burgee'), theirs: samples('bare Fastify') },
      0.6,
    ),
  ];
}

/**
 * The speed of a processor that others use, too, changes within a second by more than these differ: what is compared must
 * be near in time, and often. A peer that answers a few times a second needs longer rounds.
 */
const inShortRounds = (bench: Bench): Bench => ({
  ...bench,
  rounds: bench.rounds * 10,
  milliseconds: bench.milliseconds / 5,
});

const withHeader = (server: Server, name: string, value: string): Server => ({
  ...server,
  headers: { ...server.headers, [name]: value },
});
