import { createFlagSet, deleteFlagSet } from '#commands/flag-sets.ts';
import * as contract from '#contract/flag-sets.ts';
import { toFlagSetReply } from '#domain/flag-sets.ts';
import { listFlagSets } from '#store/flag-sets.ts';
import { countDirectDependents, listDirectDependents } from '#store/references.ts';
import type { Reader } from '#store/sql.ts';
import { type Markers, markerPage } from '../paging/markers.ts';
import { offsetPage } from '../paging/offset.ts';
import { implement } from '../pipeline/implement.ts';
import { resolveProject } from '../pipeline/resolve.ts';

export const flagSets = (db: Reader, markers: Markers) =>
  implement(contract, {
    listFlagSets: async ({ actor, query: { workspace_id: nameOrId, ...page } }) => {
      const { id: projectId } = await resolveProject(db, actor, nameOrId);
      const listing = await markerPage(markers, page, contract.listFlagSets.pageSize, {
        list: async (slice) => ({ items: await listFlagSets(db, { projectId, ...slice }) }),
        positionOf: ({ createdAt, id }) => ({ at: createdAt, id }),
        show: async (flagSets) => flagSets.map(toFlagSetReply),
      });
      return { ...listing, objects: listing.data };
    },
    getFlagSet: async ({ flagSet }) => toFlagSetReply(flagSet),
    listFlagsInSet: async ({ project, flagSet, query }) => {
      const filter = { projectId: project.id, kind: 'flag_set', name: flagSet.id } as const;
      return offsetPage(query, contract.listFlagsInSet.pageSize, {
        list: (page) => listDirectDependents(db, filter, page),
        count: () => countDirectDependents(db, filter),
      });
    },
    createFlagSet: async ({ actor, context, body: { name, description = '', workspace } }) => {
      const project = await resolveProject(db, actor, workspace.id);
      return toFlagSetReply(await createFlagSet(context, { project, name, description }));
    },
    deleteFlagSet: async ({ context, project, flagSet }) => deleteFlagSet(context, project, flagSet),
  });
