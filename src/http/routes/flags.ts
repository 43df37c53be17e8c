import { createFlag, deleteFlag, patchFlag, tagFlag, updateFlagDescription } from '#commands/flags.ts';
import * as contract from '#contract/flags.ts';
import type { Bucketing } from '#domain/bucketing.ts';
import type { StoredDefinition } from '#domain/definitions/definition.ts';
import { type SummarizedDefinition, toExpandedText, toSummaryText } from '#domain/definitions/summary.ts';
import type { Flag } from '#domain/flags.ts';
import { Problem, refuse } from '#domain/problems.ts';
import { withoutRevision } from '#domain/revisions.ts';
import { unknownStatus } from '#domain/rollout-statuses.ts';
import type { Reference } from '#domain/schema.ts';
import { listSummaries } from '#store/definition-summaries.ts';
import { listStoredDefinitionsOfFlag } from '#store/definitions.ts';
import { listEnvironments } from '#store/environments.ts';
import { countFlags, type FlagFilter, findFlagChanges, listFlags } from '#store/flags.ts';
import type { Page } from '#store/paging.ts';
import { countDirectDependents, listDirectDependents } from '#store/references.ts';
import { findRolloutStatus } from '#store/rollout-statuses.ts';
import type { Reader } from '#store/sql.ts';
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
    listFlags: async ({ actor, project, query: { tag = [], name, rolloutStatus, expand, ...page } }) => {
      if (rolloutStatus !== undefined && !(await findRolloutStatus(db, project.id, rolloutStatus))) {
        refuse('request_invalid', [unknownStatus('rolloutStatus', rolloutStatus)]);
      }
      const filter = { projectId: project.id, tags: tag, name, rolloutStatusId: rolloutStatus };
      const counted = await totalOf(filter);
      const list = (slice: Page) => listFlags(db, filter, slice, counted);
      const count = async () => counted.total;
      if (!expand) return offsetPage(page, contract.listFlags.pageSize, { list, count });
      const environments = await listEnvironments(db, project.id, actor.scope);
      return jsonPage(page, contract.listFlags.pageSize, {
        list: async function* (slice) {
          yield* summarizedTexts(db, await list(slice), environments);
        },
        count,
      });
    },
    getFlag: async ({ actor, project, flag, query: { expand } }) => {
      if (!expand) return flag;
      const environments = await listEnvironments(db, project.id, actor.scope);
      return new JsonReply(flagText(flag, expandedTexts(listStoredDefinitionsOfFlag(db, flag.id, environments))), flag);
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
  });
};

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
