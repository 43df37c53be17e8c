import { createFlag, deleteFlag, patchFlag, tagFlag, updateFlagDescription } from '#commands/flags.ts';
import * as contract from '#contract/flags.ts';
import { pageSizes } from '#contract/parts.ts';
import { withDefinitions, withSummaries } from '#domain/expansions.ts';
import { Problem } from '#domain/problems.ts';
import { listDefinitionsOfFlags } from '#store/definitions.ts';
import { countFlags, type FlagFilter, findFlagChanges, listFlags } from '#store/flags.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../implement.ts';
import { noteOf } from '../notes.ts';
import { offsetPage } from '../pages.ts';
import { keptTotals } from '../totals.ts';

export const flags = (db: Reader) => {
  const totalOf = keptTotals<FlagFilter>({
    count: (filter) => countFlags(db, filter),
    findChanges: ({ projectId }) => findFlagChanges(db, projectId),
  });
  return implement(contract, {
    createFlag: async ({ context, project, trafficType, body: { name, description = '' }, ifMatch }) =>
      createFlag(context, { project, trafficType, name, description, ifMatch }),
    listFlags: async ({ actor, project, query: { tag = [], name, rolloutStatus, expand, ...page } }) => {
      const filter = { projectId: project.id, tags: tag, name, rolloutStatusId: rolloutStatus };
      const counted = await totalOf(filter);
      return offsetPage(page, pageSizes.flags, {
        list: async (slice) => {
          const found = await listFlags(db, filter, slice, counted);
          return expand ? withSummaries(found, await listDefinitionsOfFlags(db, idsOf(found), actor.scope)) : found;
        },
        count: async () => counted.total,
      });
    },
    getFlag: async ({ actor, flag, query: { expand } }) =>
      expand ? withDefinitions(flag, await listDefinitionsOfFlags(db, [flag.id], actor.scope)) : flag,
    patchFlag: async ({ context, project, flag, query, body, ifMatch }) =>
      patchFlag(context, { project, flag, operations: body, note: noteOf(query), ifMatch }),
    updateFlagDescription: async ({ context, project, flag, query, body, ifMatch }) =>
      updateFlagDescription(context, { project, flag, description: body, note: noteOf(query), ifMatch }),
    associateTags: async ({ context, project, flag, words, query, body, ifMatch }) => {
      const { objectType } = words;
      if (objectType.toLowerCase() !== 'split') throw new Problem('object_type_unknown', { word: objectType });
      const { tags, name } = await tagFlag(context, { project, flag, tags: body, note: noteOf(query), ifMatch });
      const objects = (tags ?? []).map((tag) => ({ name: tag.name, objectType, objectName: name }));
      // Always the whole list; clients know this answer with a limit of 20.
      return { objects, offset: 0, limit: Math.max(20, objects.length), totalCount: objects.length };
    },
    deleteFlag: async ({ context, project, flag, query, body, ifMatch }) =>
      deleteFlag(context, { project, flag, note: noteOf(query, body), ifMatch }),
  });
};

const idsOf = (things: readonly { id: string }[]) => things.map((thing) => thing.id);
