import { replaceRestriction } from '#commands/restrictions.ts';
import * as contract from '#contract/restrictions.ts';
import { toRestriction, viewersOf } from '#domain/restrictions.ts';
import { findRestriction } from '#store/restrictions.ts';
import type { Reader } from '#store/sql.ts';
import { offsetPage } from '../paging/offset.ts';
import { implement } from '../pipeline/implement.ts';
import { resolveProject } from '../pipeline/resolve.ts';

export const restrictions = (db: Reader) =>
  implement(contract, {
    // Every project has exactly one, so the page is the first or it is empty.
    listRestrictions: async ({ actor, query }) => {
      const project = await resolveProject(db, actor, query.resource_id);
      const { restricted, viewers } = await findRestriction(db, project.id);
      const restriction = toRestriction(project, restricted, viewers);
      return offsetPage(query, contract.listRestrictions.pageSize, {
        list: async ({ offset }) => [restriction].slice(offset),
        count: async () => 1,
      });
    },
    replaceRestriction: async ({ actor, context, body }) =>
      replaceRestriction(context, {
        project: await resolveProject(db, actor, body.resource.id),
        restricted: body.operations.view,
        viewers: viewersOf(body),
      }),
  });
