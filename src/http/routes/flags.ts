import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Static } from 'typebox';
import {
  archiveFlag,
  createFlag,
  deleteFlag,
  duplicateFlag,
  patchFlag,
  tagFlag,
  unarchiveFlag,
  undeleteFlag,
  updateFlagDescription,
} from '#commands/flags.ts';
import * as contract from '#contract/flags.ts';
import type { Actor } from '#domain/access.ts';
import type { Bucketing } from '#domain/bucketing.ts';
import type { StoredDefinition } from '#domain/definitions/definition.ts';
import {
  type DefinitionSummary,
  type SummarizedDefinition,
  toExpandedText,
  toSummaryText,
} from '#domain/definitions/summary.ts';
import { type DriftingFlag, type DriftKind, driftOrders, type FlagDrift } from '#domain/drift.ts';
import { type Environment, inOrder } from '#domain/environments.ts';
import { type FlagFacets, parseState, parseTraffic } from '#domain/flag-list.ts';
import type { Flag } from '#domain/flags.ts';
import { Problem, refuse } from '#domain/problems.ts';
import { withoutRevision } from '#domain/revisions.ts';
import { unknownStatus } from '#domain/rollout-statuses.ts';
import type { Reference } from '#domain/schema.ts';
import { countChanges } from '#store/changes.ts';
import { listSummaries } from '#store/definition-summaries.ts';
import { listStoredDefinitionsOfFlag } from '#store/definitions.ts';
import { listDrift } from '#store/drift.ts';
import { findEnvironmentOrder, listEnvironments } from '#store/environments.ts';
import {
  countFlagFacets,
  countSortedFlags,
  type FlagQuery,
  listCountedFlags,
  listSortedFlags,
  type TrafficCounts,
} from '#store/flag-list.ts';
import { countFlags, type FlagFilter, findFlagChanges, listFlags } from '#store/flags.ts';
import { firstOf, type Page } from '#store/paging.ts';
import { countDirectDependents, listDirectDependents } from '#store/references.ts';
import { listRolloutStatuses } from '#store/rollout-statuses.ts';
import { inChunks, type Reader } from '#store/sql.ts';
import { listLastTrafficOfFlags } from '#store/traffic.ts';
import { cachedTotals } from '../paging/count-cache.ts';
import { offsetPage } from '../paging/offset.ts';
import { implement } from '../pipeline/implement.ts';
import { JsonReply, jsonPage, separated } from '../pipeline/json-reply.ts';
import { noteOf } from '../pipeline/notes.ts';

export const flags = (db: Reader) => {
  const totalOf = cachedTotals<FlagFilter>({
    count: (filter) => countFlags(db, filter),
    findChanges: ({ projectId }) => findFlagChanges(db, projectId),
  });
  return implement(contract, {
    createFlag: async ({ context, project, trafficType, body: { name, description = '' }, ifMatch }) =>
      createFlag(context, { project, trafficType, name, description, ifMatch }),
    listFlags: async ({ actor, project, query: { expand, sort, order = 'asc', offset, limit, ...asked } }) => {
      const needsEnvironments = [expand, asked.state, asked.traffic].some((one) => one !== undefined);
      const environments = needsEnvironments ? await listEnvironments(db, project.id, actor.scope) : [];
      const query = await flagQuery(db, { actor, project, environments, asked });
      const { projectId, tags, name, rolloutStatusIds, isArchived } = query;
      // Long lists with the vendor's filters, by creation: read from the nearer end, with cached totals.
      const isPlain = (!sort || sort === 'created') && order === 'asc' && !isExtended(query);
      const filter = { projectId, tags, name, rolloutStatusId: rolloutStatusIds[0], isArchived };
      const counted = isPlain ? await totalOf(filter) : undefined;
      const find = (slice: Page) => {
        if (!counted) return listSortedFlags(db, query, { sort: sort ?? 'created', order, ...slice });
        return isServedByIndex(filter)
          ? listFlags(db, filter, slice, counted)
          : listCountedFlags(db, query, slice, counted);
      };
      const list = async (slice: Page) => withTraffic(db, await find(slice));
      const count = async () => counted?.total ?? countSortedFlags(db, query);
      const page = { ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) };
      if (!expand) {
        const vendorList = async (slice: Page) => (await list(slice)).map(({ lastUpdateTime: _, ...flag }) => flag);
        return offsetPage(page, contract.listFlags.pageSize, { list: vendorList, count });
      }
      return jsonPage(page, contract.listFlags.pageSize, {
        list: async function* (slice) {
          const found = await list(slice);
          // SQLite reads without waiting, as below.
          await nextTurn();
          yield* summarizedTexts(db, found, environments);
        },
        count,
      });
    },
    countFlags: async ({ actor, project, query: asked }) => {
      const environments = await listEnvironments(db, project.id, actor.scope);
      const query = await flagQuery(db, { actor, project, environments, asked });
      const production = environments.filter((environment) => environment.production);
      const ids = production.map(({ id }) => id);
      return toFacets(await countFlagFacets(db, query, ids), production);
    },
    listDrift: async ({ actor, project, query: { base, environment, kind, name, sort = 'severity', ...page } }) => {
      const all = await listEnvironments(db, project.id, actor.scope);
      const environments = inOrder(all, await findEnvironmentOrder(db, project.id));
      const compared = comparedEnvironments(environments, base, environment);
      const { flagCount, flags } = await listDrift(db, { projectId: project.id, name, ...compared });
      const counts: Record<DriftKind, number> = { killed: 0, defined: 0, targeting: 0, share: 0 };
      const found: FlagDrift[] = [];
      for (const some of inChunks(flags, driftsAtOnce)) {
        for (const one of some.flatMap(({ kinds }) => kinds)) counts[one] += 1;
        found.push(...some.filter(({ kinds }) => !kind || kinds.some((one) => kind.includes(one))));
        await nextTurn();
      }
      const listing = await offsetPage(page, contract.listDrift.pageSize, {
        list: async ({ offset, limit }) => {
          const first = firstOf(offset + limit, driftOrders[sort]);
          for (const some of inChunks(found, driftsAtOnce)) {
            first.add(some);
            await nextTurn();
          }
          return withSummaries(db, first.inOrder().slice(offset), environments);
        },
        count: async () => found.length,
      });
      return { ...listing, base: compared.base, flagCount, counts };
    },
    getFlag: async ({ actor, project, flag: found, query: { expand } }) => {
      const [flag = found] = await withTraffic(db, [found]);
      if (!expand) return flag;
      const environments = await listEnvironments(db, project.id, actor.scope);
      const counted = { ...flag, ...(await changeCount(db, actor, { project, flag })) };
      const texts = expandedTexts(listStoredDefinitionsOfFlag(db, flag.id, environments));
      return new JsonReply(flagText(counted, texts), flag);
    },
    listDependents: async ({ project, flag, query: { environmentId, ...page } }) => {
      const filter = { projectId: project.id, kind: 'flag', name: flag.name, environmentId } as const;
      return offsetPage(page, contract.listDependents.pageSize, {
        list: (slice) => listDirectDependents(db, filter, slice),
        count: () => countDirectDependents(db, filter),
      });
    },
    patchFlag: async ({ context, project, flag, query, body, ifMatch }) =>
      patchFlag(context, { project, flag, operations: body, note: noteOf(query), ifMatch }),
    updateFlagDescription: async ({ context, project, flag, query, body, ifMatch }) =>
      updateFlagDescription(context, { project, flag, description: body, note: noteOf(query), ifMatch }),
    associateTags: async ({ context, project, flag, params, query, body, ifMatch }) => {
      const { objectType } = params;
      if (objectType.toLowerCase() !== 'split') throw new Problem('object_type_unknown', { nameOrId: objectType });
      const { tags, name } = await tagFlag(context, { project, flag, tags: body, note: noteOf(query), ifMatch });
      const objects = (tags ?? []).map((tag) => ({ name: tag.name, objectType, objectName: name }));
      // Always the whole list; clients expect a limit of 20 here.
      return { objects, offset: 0, limit: Math.max(20, objects.length), totalCount: objects.length };
    },
    deleteFlag: async ({ context, project, flag, query, body, ifMatch }) =>
      deleteFlag(context, { project, flag, note: noteOf(query, body), ifMatch }),
    duplicateFlag: async ({ context, project, flag, query, body, ifMatch }) =>
      duplicateFlag(context, { project, flag, copy: body, note: noteOf(query), ifMatch }),
    archiveFlag: async ({ context, project, flag, query, body, ifMatch }) =>
      archiveFlag(context, { project, flag, note: noteOf(query, body), ifMatch }),
    unarchiveFlag: async ({ context, project, flag, query, body, ifMatch }) =>
      unarchiveFlag(context, { project, flag, note: noteOf(query, body), ifMatch }),
    undeleteFlag: async ({ context, project, params, query, body, ifMatch }) =>
      undeleteFlag(context, { project, flagId: params.deletedFlag, note: noteOf(query, body), ifMatch }),
  });
};

interface AskedFlags {
  readonly actor: Pick<Actor, 'id'>;
  readonly project: Reference;
  /** Those within the caller's scope. */
  readonly environments: readonly Reference[];
  readonly asked: Static<typeof contract.countFlags.query>;
}

/** Refuses rollout statuses and environments that the project does not have. */
async function flagQuery(db: Reader, { actor, project, environments, asked }: AskedFlags): Promise<FlagQuery> {
  const { tag = [], rolloutStatus = [], trafficType = [], owner = [], state = [], traffic = [] } = asked;
  if (rolloutStatus.length > 0) {
    const known = new Set((await listRolloutStatuses(db, project.id)).map(({ id }) => id));
    refuse(
      'request_invalid',
      rolloutStatus.filter((id) => !known.has(id)).map((id) => unknownStatus('rolloutStatus', id)),
    );
  }
  return {
    projectId: project.id,
    ids: asked.id ?? [],
    name: asked.name,
    search: asked.search,
    watcherId: asked.watched && actor.id,
    tags: tag,
    rolloutStatusIds: rolloutStatus,
    trafficTypeIds: trafficType,
    ownerIds: owner,
    states: state.map((text) => parseState(text, environments)),
    traffic: traffic.map((text) => parseTraffic(text, environments)),
    isArchived: asked.archived !== undefined,
  };
}

/** How many flags are counted or sorted before others get a turn. */
const driftsAtOnce = 1_000;

/** Refuses environments that the project does not have. */
function comparedEnvironments(environments: readonly Environment[], base?: string, others?: readonly string[]) {
  const named = (nameOrId: string) =>
    environments.find(({ id }) => id === nameOrId) ?? environments.find(({ name }) => name === nameOrId);
  const unknown = [...(base === undefined ? [] : [base]), ...(others ?? [])].filter((nameOrId) => !named(nameOrId));
  refuse(
    'request_invalid',
    unknown.map((nameOrId) => `${nameOrId} is not an environment of the project`),
  );
  const usual = environments.find(({ production }) => production) ?? environments.at(-1);
  const { id = '', name = '' } = (base === undefined ? usual : named(base)) ?? {};
  const chosen = others
    ? environments.filter((one) => others.some((nameOrId) => named(nameOrId) === one))
    : environments;
  return { base: { id, name }, others: chosen.filter((one) => one.id !== id) };
}

async function withSummaries(
  db: Reader,
  flags: readonly FlagDrift[],
  environments: readonly Reference[],
): Promise<DriftingFlag[]> {
  const texts = new Map<string, DefinitionSummary[]>();
  for await (const { flagId, summaries } of listSummaries(
    db,
    flags.map(({ id }) => id),
    environments,
  )) {
    const definitions: DefinitionSummary[] = [];
    for await (const one of summaries) definitions.push(JSON.parse(toSummaryText(one)) as DefinitionSummary);
    texts.set(flagId, definitions);
  }
  return flags.map(({ id, name, changedAt, kinds, share }) => ({
    id,
    name,
    lastUpdateTime: changedAt,
    kinds: [...kinds],
    share,
    definitions: texts.get(id) ?? [],
  }));
}

/** It has a filter, or several values of one, that the vendor's list does not have. */
const isExtended = ({ search, watcherId, rolloutStatusIds, ...query }: FlagQuery): boolean =>
  search !== undefined ||
  watcherId !== undefined ||
  rolloutStatusIds.length > 1 ||
  [query.ids, query.trafficTypeIds, query.ownerIds, query.states, query.traffic].some(({ length }) => length > 0);

/** An index has the flags of one condition in order. Of those, a second one may let few pass. */
const isServedByIndex = ({ tags, name, rolloutStatusId, isArchived }: FlagFilter): boolean =>
  name === undefined && tags.length + Number(rolloutStatusId !== undefined) + Number(isArchived) <= 1;

/** Flags with several owners count for each of them. */
function toFacets(counts: Awaited<ReturnType<typeof countFlagFacets>>, production: readonly Reference[]): FlagFacets {
  const owners = new Map<string, { id: string; type: 'user' | 'group'; count: number }>();
  for (const { value, count } of counts.owners) {
    for (const { id, type } of JSON.parse(value) as Flag['owners']) {
      owners.set(id, { id, type, count: (owners.get(id)?.count ?? 0) + count });
    }
  }
  const { total, defined, killed, different } = counts.states;
  const inEnvironments = new Map(counts.production.map((one) => [one.id, one]));
  const byId = ({ value: id, count }: { value: string; count: number }) => ({ id, count });
  return {
    totalCount: counts.total,
    rolloutStatus: counts.rolloutStatuses.map(byId),
    trafficType: counts.trafficTypes.map(byId),
    owner: [...owners.values()].sort((a, b) => b.count - a.count || a.id.localeCompare(b.id)),
    tag: counts.tags.map(({ value: name, count }) => ({ name, count })),
    state: [
      { state: 'killed', count: killed },
      { state: 'defined', count: defined },
      { state: 'undefined', count: total - defined },
      { state: 'different', count: different },
      ...production.flatMap(({ id, name }) => {
        const there = inEnvironments.get(id) ?? { defined: 0, killed: 0 };
        const environment = { id, name };
        return [
          { state: 'killed' as const, environment, count: there.killed },
          { state: 'defined' as const, environment, count: there.defined },
          { state: 'undefined' as const, environment, count: total - there.defined },
        ];
      }),
    ],
    traffic: [
      ...trafficFacets(counts.traffic),
      ...production.flatMap(({ id, name }) => {
        const there = counts.productionTraffic.find((one) => one.id === id) ?? noTraffic;
        const environment = { id, name };
        return trafficFacets({ ...there, total: counts.traffic.total }).map((one) => ({ ...one, environment }));
      }),
    ],
  };
}

const noTraffic = { seen: 0, 'quiet-7d': 0, 'quiet-30d': 0 };
const trafficFacets = ({ total, seen, ...quiet }: TrafficCounts) => [
  { traffic: 'never' as const, count: total - seen },
  { traffic: 'quiet-7d' as const, count: quiet['quiet-7d'] },
  { traffic: 'quiet-30d' as const, count: quiet['quiet-30d'] },
];

/** More are not counted. */
const maxChanges = 1_000;

async function changeCount(
  db: Reader,
  { scope, permissions }: Actor,
  { project, flag }: { readonly project: Reference; readonly flag: Reference },
): Promise<{ changeCount?: number }> {
  if (!permissions.has('audit.read')) return {};
  const any = { environmentId: undefined, objectType: undefined, actorId: undefined, search: undefined };
  const selection = { scope, projectId: project.id, objectId: flag.id, ...any };
  return { changeCount: await countChanges(db, selection, maxChanges) };
}

async function withTraffic<Found extends Flag>(db: Reader, flags: readonly Found[]): Promise<Found[]> {
  const lastOf = await listLastTrafficOfFlags(
    db,
    flags.map(({ id }) => id),
  );
  return flags.map((flag) => {
    const last = lastOf.get(flag.id);
    return last === undefined ? flag : { ...flag, lastTrafficReceivedAt: last };
  });
}

async function* flagText(flag: Flag, definitions: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${JSON.stringify(withoutRevision(flag)).slice(0, -1)},"definitions":[`;
  yield* separated(definitions);
  yield ']}';
}

async function* expandedTexts(definitions: AsyncIterable<StoredDefinition & Bucketing>): AsyncGenerator<string> {
  for await (const definition of definitions) yield toExpandedText(definition);
}

/** The flags with their summaries, separated by commas. */
async function* summarizedTexts(
  db: Reader,
  flags: readonly Flag[],
  environments: readonly Reference[],
): AsyncGenerator<string> {
  const byId = new Map(flags.map((flag) => [flag.id, flag]));
  let comma = '';
  for await (const { flagId, summaries } of listSummaries(db, [...byId.keys()], environments)) {
    const flag = byId.get(flagId);
    if (!flag) continue;
    yield comma;
    yield* flagText(flag, summaryTexts(summaries));
    comma = ',';
  }
}

async function* summaryTexts(definitions: AsyncIterable<SummarizedDefinition>): AsyncGenerator<string> {
  for await (const definition of definitions) yield toSummaryText(definition);
}
