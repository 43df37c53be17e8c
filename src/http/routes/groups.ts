import { createGroup, deleteGroup, replaceGroup } from '#commands/groups.ts';
import * as contract from '#contract/groups.ts';
import { countGroups, findGroup, findGroupChanges, listGroups } from '#store/groups.ts';
import type { Reader } from '#store/sql.ts';
import { cachedTotals } from '../paging/count-cache.ts';
import { offsetPage } from '../paging/offset.ts';
import { implement } from '../pipeline/implement.ts';

/** Groups have no filter: an actor sees all of them or none. */
const all = {};

export const groups = (db: Reader) => {
  const totalOf = cachedTotals({ count: () => countGroups(db), findChanges: () => findGroupChanges(db) });
  return implement(contract, {
    listGroups: async ({ query }) => {
      const counted = await totalOf(all);
      return offsetPage(query, contract.listGroups.pageSize, {
        list: (page) => listGroups(db, page, counted),
        count: async () => counted.total,
      });
    },
    getGroup: async ({ params }) => findGroup(db, params.group),
    createGroup: async ({ context, body: { name, description = '' } }) => createGroup(context, { name, description }),
    replaceGroup: async ({ context, params, body }) => replaceGroup(context, params.group, body),
    deleteGroup: async ({ context, params }) => deleteGroup(context, params.group),
  });
};
