import { draftChangeset, planChangeset } from '#commands/changeset-plans.ts';
import {
  applyChangeset,
  changeChangeset,
  createChangeset,
  revertChangeset,
  withdrawChangeset,
} from '#commands/changesets.ts';
import * as contract from '#contract/changesets.ts';
import type { Actor } from '#domain/access.ts';
import { toChangeset } from '#domain/changesets.ts';
import { Problem } from '#domain/problems.ts';
import { findChangeset, listChangesets, listOperations } from '#store/changesets.ts';
import type { Reader } from '#store/sql.ts';
import { type Markers, markerPage } from '../paging/markers.ts';
import { implement } from '../pipeline/implement.ts';
import { resolveProject } from '../pipeline/resolve.ts';

export const changesets = (db: Reader, markers: Markers) => {
  const find = async ({ scope }: Actor, id: string) => {
    const head = await findChangeset(db, id, scope);
    if (!head) throw new Problem('changeset_not_found', { nameOrId: id });
    return { head, operations: (await listOperations(db, [id])).get(id) ?? [] };
  };
  return implement(contract, {
    createChangeset: async ({ actor, context, body, query }) => {
      const { workspace, title = '', comment = '', operations } = body;
      const project = await resolveProject(db, actor, workspace.id);
      const fields = { project, title, comment, operations };
      return query.dryRun === 'true' ? draftChangeset(db, actor, fields) : createChangeset(context, fields);
    },
    listChangesets: async ({ actor, query: { workspaceId, status: state, ...page } }) => {
      const { id: projectId } = await resolveProject(db, actor, workspaceId);
      return markerPage(markers, page, contract.listChangesets.pageSize, {
        list: async (slice) => ({
          items: await listChangesets(db, { scope: actor.scope, projectId, state, ...slice }),
        }),
        positionOf: ({ createdAt, id }) => ({ at: createdAt, id }),
        show: async (heads) => {
          const operations = await listOperations(
            db,
            heads.map(({ id }) => id),
          );
          return heads.map((head) => toChangeset(head, operations.get(head.id) ?? []));
        },
      });
    },
    getChangeset: async ({ actor, params: { changeset: id } }) => {
      const { head, operations } = await find(actor, id);
      return toChangeset(head, operations);
    },
    getChangesetPlan: async ({ actor, params: { changeset: id } }) => {
      const { head, operations } = await find(actor, id);
      const project = await resolveProject(db, actor, head.workspace.id);
      return planChangeset(db, { actor, project, operations });
    },
    changeChangeset: async ({ context, params, body, ifMatch }) =>
      changeChangeset(context, params.changeset, { ...body, ifMatch }),
    withdrawChangeset: async ({ context, params, ifMatch }) => withdrawChangeset(context, params.changeset, ifMatch),
    applyChangeset: async ({ context, params, ifMatch }) => applyChangeset(context, params.changeset, ifMatch),
    revertChangeset: async ({ context, params, body = {} }) => revertChangeset(context, params.changeset, body),
  });
};
