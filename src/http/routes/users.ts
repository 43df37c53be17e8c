import { deleteUser, inviteUser, patchUser, replaceUser } from '#commands/users.ts';
import { pageSizes } from '#contract/parts.ts';
import * as contract from '#contract/users.ts';
import { invitedGroupIds, toUserReply } from '#domain/users.ts';
import type { Reader } from '#store/sql.ts';
import { findUser, listUsers } from '#store/users.ts';
import { implement } from '../implement.ts';
import { type Markers, markerPage } from '../markers.ts';

export const users = (db: Reader, markers: Markers) =>
  implement(contract, {
    inviteUser: async ({ context, body }) => {
      const user = await inviteUser(context, { email: body.email, groupIds: invitedGroupIds(body) });
      return { groups: [], ...toUserReply(user) };
    },
    listUsers: async ({ actor, query: { status, group_id: groupId, ...page } }) => {
      const filter = { scope: actor.scope, status, groupId };
      return markerPage(markers, page, pageSizes.users, {
        list: (slice) => listUsers(db, { ...filter, ...slice }),
        positionOf: (user) => ({ at: user.createdAt, id: user.id }),
        show: async (users) => users.map(toUserReply),
      });
    },
    getUser: async ({ actor, words }) => toUserReply(await findUser(db, words.user, actor.scope)),
    replaceUser: async ({ context, words, body }) => toUserReply(await replaceUser(context, words.user, body)),
    patchUser: async ({ context, words, body }) => toUserReply(await patchUser(context, words.user, body)),
    deleteUser: async ({ context, words }) => deleteUser(context, words.user),
  });
