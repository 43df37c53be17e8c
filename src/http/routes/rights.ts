import { roleMissing, whomToAsk } from '#commands/actors.ts';
import * as contract from '#contract/rights.ts';
import { mayGrant } from '#domain/access.ts';
import { explainRights } from '#domain/explained-rights.ts';
import { administrators } from '#domain/groups.ts';
import { listGroupsOfUser } from '#store/groups.ts';
import { countProjects, listProjects } from '#store/projects.ts';
import { countGrantedRights, listGrantedRights, listProjectAccess } from '#store/restrictions.ts';
import type { Reader } from '#store/sql.ts';
import { findUser } from '#store/users.ts';
import { offsetPage } from '../paging/offset.ts';
import { implement } from '../pipeline/implement.ts';
import { resolveProject } from '../pipeline/resolve.ts';
import { toProjectAccess } from './restrictions.ts';

export const rights = (db: Reader) =>
  implement(contract, {
    explainAccess: async ({ actor, query }) => {
      const isOwn = actor.type === 'user' && (query.user ?? actor.id) === actor.id;
      if (!isOwn && !mayGrant(actor))
        throw await roleMissing(db, actor, { needs: 'restriction.write', scope: 'project' });
      const { id, name, email, status } = await findUser(db, query.user ?? actor.id, actor.scope);
      const groups = await listGroupsOfUser(db, id);
      const administrator = groups.some((group) => group.name === administrators.name);
      const project = query.project === undefined ? undefined : await resolveProject(db, actor, query.project);
      const filter = { scope: actor.scope, name: undefined, nameOp: 'IS', nameOrId: project?.id } as const;
      const page = await offsetPage(query, contract.explainAccess.pageSize, {
        list: async (asked) => {
          const ids = (await listProjects(db, { ...filter, ...asked })).map((one) => one.id);
          const subject = { type: 'user', id, groups, mayGrant: administrator } as const;
          return (await listProjectAccess(db, ids)).map((one) => explainRights(toProjectAccess(one), subject));
        },
        count: () => countProjects(db, filter),
      });
      return { ...page, user: { id, name, email, status }, administrator, groups, ask: await whomToAsk(db) };
    },
    listGrantedRights: ({ actor: { scope }, query: { type, id, ...asked } }) => {
      const filter = { scope, grantee: { type, id } };
      return offsetPage(asked, contract.listGrantedRights.pageSize, {
        list: (page) => listGrantedRights(db, { ...filter, ...page }),
        count: () => countGrantedRights(db, filter),
      });
    },
  });
