import { createGroup, deleteGroup, replaceGroup } from '#commands/groups.ts';
import * as contract from '#contract/groups.ts';
import { pageSizes } from '#contract/parts.ts';
import { countGroups, findGroup, listGroups } from '#store/groups.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../implement.ts';
import { offsetPage } from '../pages.ts';

export const groups = (db: Reader) =>
  implement(contract, {
    listGroups: async ({ query }) =>
      offsetPage(query, pageSizes.groups, { list: (page) => listGroups(db, page), count: () => countGroups(db) }),
    getGroup: async ({ words }) => findGroup(db, words.group),
    createGroup: async ({ context, body: { name, description = '' } }) => createGroup(context, { name, description }),
    replaceGroup: async ({ context, words, body }) => replaceGroup(context, words.group, body),
    deleteGroup: async ({ context, words }) => deleteGroup(context, words.group),
  });
