import { v7 as newId } from 'uuid';
import type { Actor } from '#domain/access.ts';
import { equalJson } from '#domain/json.ts';
import type { Operation } from '#domain/json-patch.ts';
import { Problem, refuse } from '#domain/problems.ts';
import {
  patchUser as applyUserPatch,
  applyUserUpdate,
  nameFromEmail,
  type PartialUserUpdate,
  requireGroupCount,
  toUserReply,
  type User,
} from '#domain/users.ts';
import { findAdministratorsId, lockGroup, lockGroupNames } from '#store/groups.ts';
import { deleteChangesetMailsTo } from '#store/outbox.ts';
import { deleteSessionsOfUser } from '#store/sessions.ts';
import type { Tx } from '#store/sql.ts';
import { deleteTwoFactor } from '#store/two-factor.ts';
import * as store from '#store/users.ts';
import { deleteNewsTo } from '#store/watches.ts';
import { endPasswordReset, requireRightOver, sendInvitation } from './accounts.ts';
import { type AloneTx, type Context, type Entry, type RecordingTx, write, writeAlone } from './context.ts';
import { removeOwnerIn } from './flags.ts';
import { removeGranteeIn } from './restrictions.ts';

/** Creates a PENDING user and queues the invitation mail in the same transaction. */
export const inviteUser = (context: Context, invited: { email: string; groupIds: readonly string[] }) =>
  write(context, (tx) => inviteUserIn(tx, invited));

export async function inviteUserIn(tx: RecordingTx, invited: NewUser) {
  const user = await insertPendingUser(tx, invited);
  await sendInvitation(tx, user);
  await tx.record({ ...entry('user.invited', user), after: toUserReply(user) });
  return user;
}

/** Creates a PENDING user without an invitation, which can be sent later. */
export async function addUserIn(tx: RecordingTx, added: NewUser) {
  const user = await insertPendingUser(tx, added);
  await tx.record({ ...entry('user.added', user), after: toUserReply(user) });
  return user;
}

interface NewUser {
  readonly email: string;
  readonly name?: string | undefined;
  readonly groupIds: readonly string[];
}

async function insertPendingUser(tx: RecordingTx, { email, name, groupIds }: NewUser): Promise<User> {
  await requireGroups(tx, groupIds);
  await requireRightOver(tx, groupIds);
  const user: User = {
    id: newId(),
    name: name || nameFromEmail(email),
    email,
    status: 'PENDING',
    twoFactor: false,
    groupIds,
    createdAt: tx.now,
  };
  await store.insertUser(tx, user);
  return user;
}

/** Replaces those of email, name, status and second factor that the update contains. */
export const replaceUser = (context: Context, id: string, update: PartialUserUpdate) =>
  writeAlone(context, (tx) => replaceUserIn(tx, id, update));

export const replaceUserIn = (tx: AloneTx, id: string, update: PartialUserUpdate) =>
  changeUser(tx, id, 'user.replaced', (user) => applyUserUpdate(user, update));

/** Changes groups and fields by JSON Patch. All or nothing. */
export const patchUser = (context: Context, id: string, operations: readonly Operation[]) =>
  writeAlone(context, (tx) => patchUserIn(tx, id, operations));

export const patchUserIn = (tx: AloneTx, id: string, operations: readonly Operation[]) =>
  changeUser(tx, id, 'user.patched', (user) => applyUserPatch(user, operations));

async function changeUser(tx: AloneTx, id: string, action: Entry['action'], change: (user: User) => User) {
  const before = await store.lockUser(tx, id);
  const after = change(before);
  if (equalJson(withSortedGroups(after), withSortedGroups(before))) return tx.unchanged(before);
  await requireGroups(tx, after.groupIds);
  await requireRightOver(tx, [...before.groupIds, ...after.groupIds]);
  const administratorsId = await findAdministratorsId(tx);
  await requireAdministrator(tx, administratorsId, before, after);
  await store.saveUser(tx, after);
  if (before.twoFactor && !after.twoFactor) await deleteTwoFactor(tx, id);
  if (after.email !== before.email || after.status !== before.status) await endPasswordReset(tx, id);
  if (endsSessions(before, after, tx.actor)) await deleteSessionsOfUser(tx, id);
  if (after.status === 'DEACTIVATED') {
    await deleteChangesetMailsTo(tx, id);
    await deleteNewsTo(tx, id);
  }
  const isPromoted = !before.groupIds.includes(administratorsId) && after.groupIds.includes(administratorsId);
  // A key that may not create administrators may have read the old link.
  if (isPromoted && after.status === 'PENDING') await sendInvitation(tx, after);
  await tx.record({ ...entry(action, after), before: toUserReply(before), after: toUserReply(after) });
  return after;
}

/** Groups are a set, so their order does not matter. */
const withSortedGroups = (user: User): User => ({ ...user, groupIds: user.groupIds.toSorted() });

/** A new address or a removed second factor may be an attack, or a response to one, unless the user did it. */
function endsSessions(before: User, after: User, actor: Actor): boolean {
  if (after.status === 'DEACTIVATED') return true;
  if (actor.type === 'user' && actor.id === after.id) return false;
  return after.email !== before.email || (before.twoFactor && !after.twoFactor);
}

/** Deletes a PENDING user and its entries in access lists; the invitation link stops working. It no longer owns flags. */
export const deleteUser = (context: Context, id: string) => writeAlone(context, (tx) => deleteUserIn(tx, id));

export async function deleteUserIn(tx: AloneTx, id: string) {
  const before = await store.lockUser(tx, id);
  await requireRightOver(tx, before.groupIds);
  if (before.status === 'ACTIVE') throw new Problem('active_user_not_deletable');
  if (before.status === 'DEACTIVATED') throw new Problem('deactivated_user_not_deletable');
  await removeGranteeIn(tx, { type: 'user', id });
  await removeOwnerIn(tx, { type: 'user', id, name: before.email });
  await store.deleteUser(tx, id);
  await tx.record({ ...entry('user.deleted', before), before: toUserReply(before) });
  return true as const;
}

async function requireGroups(tx: Tx, groupIds: readonly string[]): Promise<void> {
  requireGroupCount(groupIds.length);
  const known = await lockGroupNames(tx, groupIds);
  refuse(
    'user_invalid',
    groupIds
      .filter((id) => !known.has(id))
      .map((id) => `groups: there is no group with the id ${id}; GET /groups lists them`),
  );
}

/** At least one active administrator must remain. */
async function requireAdministrator(tx: Tx, administratorsId: string, before: User, after: User): Promise<void> {
  const isActiveAdministrator = (user: User) => user.status === 'ACTIVE' && user.groupIds.includes(administratorsId);
  if (!isActiveAdministrator(before) || isActiveAdministrator(after)) return;
  // Two administrators who deactivate each other at the same time must not both succeed.
  await lockGroup(tx, administratorsId);
  if ((await store.countAdministrators(tx, administratorsId, before.id)) === 0) throw new Problem('last_administrator');
}

const entry = (action: Entry['action'], { id, email }: User) => ({
  action,
  object: { type: 'user' as const, id, name: email },
});
