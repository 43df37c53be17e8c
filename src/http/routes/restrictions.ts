import { changeAccess } from '#commands/restrictions.ts';
import * as contract from '#contract/restrictions.ts';
import { equalJson } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';
import { accessUpdateOf, toRestriction } from '#domain/restrictions.ts';
import { noApprovals } from '#domain/rights.ts';
import type { Reference } from '#domain/schema.ts';
import { findProjectAccess, type StoredAccess } from '#store/restrictions.ts';
import type { Reader } from '#store/sql.ts';
import { offsetPage } from '../paging/offset.ts';
import { implement } from '../pipeline/implement.ts';
import { resolveProject } from '../pipeline/resolve.ts';

/** Where the bodies have the lists. */
const inRestriction = { view: 'resourcePermissions/view', edit: 'resourcePermissions/edit' };
const inAccess = { view: 'view/grantees', edit: 'edit/grantees' };

export const restrictions = (db: Reader) => {
  const accessOf = async ({ id, name }: Reference) => {
    const access = await findProjectAccess(db, id);
    if (!access) throw new Problem('project_not_found', { nameOrId: name });
    return access;
  };
  return implement(contract, {
    // Every project has exactly one, so only the first page has an item.
    listRestrictions: async ({ actor, query }) => {
      const project = await resolveProject(db, actor, query.resource_id);
      const access = await accessOf(project);
      return offsetPage(query, contract.listRestrictions.pageSize, {
        list: async ({ offset }) => [toRestriction(project, access)].slice(offset),
        count: async () => 1,
      });
    },
    replaceRestriction: async ({ actor, context, body }) => {
      const project = await resolveProject(db, actor, body.resource.id);
      return toRestriction(
        project,
        await changeAccess(context, { project, update: accessUpdateOf(body), places: inRestriction }),
      );
    },
    getProjectAccess: async ({ project }) => toProjectAccess(await accessOf(project)),
    changeProjectAccess: async ({ context, project, body, ifMatch }) =>
      toProjectAccess(await changeAccess(context, { project, update: body, ifMatch, places: inAccess })),
  });
};

/** Approvals as one member, which is left out where nothing is set. */
export const toProjectAccess = ({ environments, ...access }: StoredAccess) => ({
  ...access,
  environments: environments.map(({ areApprovalsRequired: required, allowKills, approvers, skippers, ...one }) => {
    const approvals = { required, approvers, allowKills, skippers: [...skippers] };
    return equalJson(approvals, noApprovals) ? one : { ...one, approvals };
  }),
});
