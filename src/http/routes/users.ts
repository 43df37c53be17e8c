import { Type } from 'typebox';
import { deleteUser, inviteUser, patchUser, replaceUser } from '#commands/users.ts';
import { endpoint } from '#contract/endpoint.ts';
import * as contract from '#contract/users.ts';
import { refuse } from '#domain/problems.ts';
import { extend, Id } from '#domain/schema.ts';
import { shapeOf } from '#domain/shapes.ts';
import { invitedGroupIds, parseUserUpdate, toUserReply, UserUpdate } from '#domain/users.ts';
import type { Reader } from '#store/sql.ts';
import { findUser, listUsers } from '#store/users.ts';
import { type Markers, markerPage } from '../paging/markers.ts';
import { type Call, implement } from '../pipeline/implement.ts';

/** Some clients send this. Enabled only if the server accepts partial updates, so it is not in the contract. */
const replaceUserNamedInBody = endpoint({
  ...contract.replaceUser,
  path: '/users',
  looseBody: extend(UserUpdate, Type.Object({ id: Id })),
});

interface Options {
  readonly markers: Markers;
  /** Whether PUT keeps members that the body leaves out. */
  readonly acceptPartialPut: boolean;
}

export const users = (db: Reader, { markers, acceptPartialPut }: Options) => [
  ...(acceptPartialPut ? implement({ replaceUserNamedInBody }, { replaceUserNamedInBody: replaceNamedInBody }) : []),
  ...implement(contract, {
    inviteUser: async ({ context, body }) => {
      const user = await inviteUser(context, { email: body.email, groupIds: invitedGroupIds(body) });
      return { groups: [], ...toUserReply(user) };
    },
    listUsers: async ({ actor, query: { status, group_id: groupId, ...page } }) => {
      const filter = { scope: actor.scope, status, groupId };
      return markerPage(markers, page, contract.listUsers.pageSize, {
        list: async (slice) => ({ items: await listUsers(db, { ...filter, ...slice }) }),
        positionOf: (user) => ({ at: user.createdAt, id: user.id }),
        show: async (users) => users.map(toUserReply),
      });
    },
    getUser: async ({ actor, params }) => toUserReply(await findUser(db, params.user, actor.scope)),
    replaceUser: async ({ context, params, body }) =>
      toUserReply(await replaceUser(context, params.user, parseUserUpdate(body, acceptPartialPut))),
    patchUser: async ({ context, params, body }) => toUserReply(await patchUser(context, params.user, body)),
    deleteUser: async ({ context, params }) => deleteUser(context, params.user),
  }),
];

async function replaceNamedInBody({ context, body }: Call<typeof replaceUserNamedInBody>) {
  refuse('user_invalid', namedUser.complaints(body));
  return toUserReply(await replaceUser(context, namedUser.clean(body).id, parseUserUpdate(body, true)));
}
const namedUser = shapeOf(Type.Object({ id: Id }));
