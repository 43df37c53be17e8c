import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Static } from 'typebox';
import * as contract from '#contract/traffic.ts';
import type { Delivery } from '#delivery/start.ts';
import { definitionNotFound } from '#domain/definitions/definition.ts';
import { Problem } from '#domain/problems.ts';
import type { Reference } from '#domain/schema.ts';
import { type Convergence, merged, toConvergence } from '#domain/sdks.ts';
import {
  type EventCount,
  inSteps,
  type ListedTraffic,
  type Steps,
  stepsOf,
  sum,
  toEventTraffic,
  toSeries,
  toShares,
} from '#domain/traffic.ts';
import type { WireFlag } from '#domain/wire/flags.ts';
import { isDefined } from '#store/definitions.ts';
import { listEnvironments } from '#store/environments.ts';
import { inChunks, type Reader } from '#store/sql.ts';
import {
  findLastTraffic,
  listCounts,
  listCountsOfFlags,
  listEventCounts,
  listEventTypes,
  listLastTraffic,
} from '#store/traffic.ts';
import { type Call, implement } from '../pipeline/implement.ts';
import { JsonReply, separated } from '../pipeline/json-reply.ts';

export const traffic = (db: Reader, delivery: Delivery | undefined) => {
  const converge = waitForConvergence(db, delivery);
  return implement(contract, {
    getFlagTraffic: async (call) => {
      await requireDefined(db, call);
      const { environment, flag, query } = call;
      const place = { environmentId: environment.id, flagId: flag.id };
      const steps = stepsOf(query.range ?? '24h', db.clock());
      const series = toSeries(await listCounts(db, place, steps.from), steps);
      const last = await findLastTraffic(db, place);
      const snapshot = await delivery?.feed.current(environment.id);
      const entry = snapshot?.entryOf(flag.name);
      return {
        from: steps.from,
        stepMilliseconds: steps.step,
        ...(last === undefined ? {} : { lastTrafficReceivedAt: last }),
        evaluations: sum(series.flatMap(({ counts }) => counts)),
        series,
        rules: toShares(series, entry && (JSON.parse(entry.text.toString()) as WireFlag)),
        askers: [...(delivery?.recents.askersOf(place) ?? [])],
      };
    },
    getImpressions: async (call) => {
      await requireDefined(db, call);
      return impressionsOf(delivery, call);
    },
    getProjectTraffic: async ({ actor, project, query: { environmentId, flagId: flagIds } }) => {
      const environments = await listEnvironments(db, project.id, actor.scope);
      const wanted = environments.filter(({ id }) => environmentId === undefined || id === environmentId);
      const steps = stepsOf('24h', db.clock());
      const ids = wanted.map(({ id }) => id);
      return new JsonReply(projectTrafficText(steps, separated(trafficTexts(db, ids, flagIds, steps))));
    },
    getEvents: async ({ environment, query: { range = '24h' } }) => {
      const steps = stepsOf(range, db.clock());
      const types = await listEventTypes(db, environment.id, maxEventTypes);
      const rows: EventCount[] = [];
      for (const [first, ...rest] of inChunks(types, 10)) {
        if (first) rows.push(...(await listEventCounts(db, environment.id, [first, rest.at(-1) ?? first], steps.from)));
        // SQLite reads without waiting.
        await nextTurn();
      }
      return {
        from: steps.from,
        stepMilliseconds: steps.step,
        eventTypes: toEventTraffic(types, rows, steps),
      };
    },
    getRecentKeys: async ({ environment, query: { text = '' } }) => ({
      keys: delivery?.recents.keysOf(environment.id).filter((key) => key.includes(text)) ?? [],
    }),
    getConvergence: async ({ environment, query }) => converge(environment, query),
  });
};

const maxEventTypes = 1_000;
const maxImpressions = 200;

type OfFlag = Pick<
  Call<typeof contract.getImpressions>,
  'actor' | 'project' | 'environment' | 'flag' | 'params' | 'query'
>;

async function requireDefined(db: Reader, call: Omit<OfFlag, 'query'>): Promise<void> {
  const { actor, project, environment, flag, params } = call;
  if (await isDefined(db, environment.id, flag.id)) return;
  throw definitionNotFound(actor, { nameOrId: params.flag, project, environment }, 'definition');
}

type Impressions = Static<typeof contract.getImpressions.reply>;

/** Other nodes share only the last ones of an environment. */
function impressionsOf(delivery: Delivery | undefined, { environment, flag, query }: OfFlag): Impressions {
  if (!delivery) return { nodes: 1, impressions: [] };
  const [, ...others] = delivery.sdks.look(environment.id);
  const elsewhere = others
    .flatMap(({ answers }) => answers)
    .flatMap(({ flag: name, ...answer }) => (name === flag.name ? [answer] : []));
  const { key = '', treatment, label } = query;
  const impressions = [
    ...delivery.recents.impressionsOf({ environmentId: environment.id, flagId: flag.id }),
    ...elsewhere,
  ]
    .filter(
      (one) =>
        one.key.includes(key) &&
        (treatment === undefined || one.treatment === treatment) &&
        (label === undefined || one.label === label),
    )
    .sort((one, other) => other.receivedAt - one.receivedAt)
    .slice(0, maxImpressions);
  return { nodes: 1 + others.length, impressions };
}

/** About 4 ms on SQLite if all of them have traffic with two treatments in each hour. */
const flagsAtOnce = 20;

/** In pieces: 2,000 flags in 12 environments are 3 MB, and serialising them at once would hold up everyone. */
async function* projectTrafficText({ from, step }: Steps, traffic: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${JSON.stringify({ from, stepMilliseconds: step }).slice(0, -1)},"traffic":[`;
  yield* traffic;
  yield ']}';
}

async function* trafficTexts(
  db: Reader,
  environmentIds: readonly string[],
  flagIds: readonly string[] | undefined,
  steps: Steps,
): AsyncGenerator<string> {
  for (const id of environmentIds) {
    for await (const some of listedTraffic(db, id, flagIds, steps)) {
      if (some.length > 0) yield JSON.stringify(some).slice(1, -1);
    }
  }
}

async function* listedTraffic(
  db: Reader,
  environmentId: string,
  flagIds: readonly string[] | undefined,
  steps: Steps,
): AsyncGenerator<ListedTraffic[]> {
  for (let after = ''; ; ) {
    const flags = await listLastTraffic(db, environmentId, { flagIds, after, limit: flagsAtOnce });
    const recent = flags.filter(({ lastAt }) => lastAt >= steps.from).map(({ flagId }) => flagId);
    const rows = recent.length > 0 ? await listCountsOfFlags(db, environmentId, recent, steps.from) : [];
    const byFlag = Map.groupBy(rows, ({ flagId }) => flagId);
    yield flags.map(({ flagId, lastAt }) => ({
      flagId,
      environmentId,
      lastTrafficReceivedAt: lastAt,
      counts: inSteps(byFlag.get(flagId) ?? [], steps, ({ evaluations }) => evaluations),
    }));
    // SQLite reads without waiting.
    await nextTurn();
    if (flags.length < flagsAtOnce) return;
    after = flags.at(-1)?.flagId ?? after;
  }
}

const maxWaiting = 100;
const lookEveryMs = 100;

/** Answers at once if this node stops. */
function waitForConvergence(db: Reader, delivery: Delivery | undefined) {
  let waiting = 0;
  const instancesOf = shared(lookEveryMs, (id) => merged(delivery?.sdks.look(id) ?? []));
  return async (
    { id }: Reference,
    { changeNumber, min = 100, timeout = 0 }: Call<typeof contract.getConvergence>['query'],
  ): Promise<Convergence> => {
    const wanted = changeNumber ?? (await delivery?.feed.current(id))?.flagsNumber;
    if (wanted === undefined) throw new Problem('unavailable', { seconds: 2 });
    const look = (sdks = instancesOf(id)) => toConvergence(sdks, { changeNumber: wanted, min }, db.clock());
    if (timeout === 0) return look(merged(delivery?.sdks.look(id) ?? []));
    if (waiting >= maxWaiting) throw new Problem('too_many_waiting', { seconds: 5 });
    waiting += 1;
    try {
      const end = performance.now() + timeout * 1_000;
      for (;;) {
        const found = look();
        const left = end - performance.now();
        if (found.isReached || left <= 0 || delivery?.streams.isEnding) return found;
        await pause(Math.min(left, lookEveryMs));
      }
    } finally {
      waiting -= 1;
    }
  };
}

/** All who wait for the same look at one result, which is at most `forMs` old. */
function shared<Result>(forMs: number, look: (id: string) => Result): (id: string) => Result {
  const recent = new Map<string, { readonly result: Result; readonly until: number }>();
  return (id) => {
    const now = performance.now();
    for (const [key, { until }] of recent) if (until <= now) recent.delete(key);
    const found = recent.get(id) ?? { result: look(id), until: now + forMs };
    recent.set(id, found);
    return found.result;
  };
}
