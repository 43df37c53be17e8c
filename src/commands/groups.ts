import { v7 as newId } from 'uuid';
import { administrators, applyGroupUpdate, type Group, type GroupUpdate } from '#domain/groups.ts';
import { equalJson } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';
import * as store from '#store/groups.ts';
import { type AloneTx, type Context, type Entry, type RecordingTx, write, writeAlone } from './context.ts';
import { removeOwnerIn } from './flags.ts';
import { removeGranteeIn } from './restrictions.ts';

export const createGroup = (context: Context, fields: { name: string; description: string }) =>
  write(context, (tx) => createGroupIn(tx, fields));

export async function createGroupIn(tx: RecordingTx, fields: { name: string; description: string }) {
  const group: Group = { ...fields, id: newId(), type: 'group' };
  await store.insertGroup(tx, group);
  await tx.record({ ...entry('group.created', group), after: group });
  return group;
}

/** Replaces name and description, if sent. */
export const replaceGroup = (context: Context, id: string, update: GroupUpdate) =>
  write(context, (tx) => replaceGroupIn(tx, id, update));

export async function replaceGroupIn(tx: RecordingTx, id: string, update: GroupUpdate) {
  const before = await store.lockGroup(tx, id);
  const after = applyGroupUpdate(before, update);
  if (equalJson(after, before)) return tx.unchanged(before);
  await store.saveGroup(tx, after);
  await tx.record({ ...entry('group.replaced', after), before, after });
  return after;
}

/** Deletes a group, its memberships and its entries in access lists. It no longer owns flags. */
export const deleteGroup = (context: Context, id: string) => writeAlone(context, (tx) => deleteGroupIn(tx, id));

export async function deleteGroupIn(tx: AloneTx, id: string) {
  const before = await store.lockGroup(tx, id);
  if (before.name === administrators.name) throw new Problem('group_protected');
  await removeGranteeIn(tx, { type: 'group', id });
  await removeOwnerIn(tx, { type: 'group', id, name: before.name });
  const members = await store.deleteGroup(tx, id);
  await tx.record({ ...entry('group.deleted', before), before: { ...before, members } });
  return true as const;
}

const entry = (action: Entry['action'], { id, name }: Group) => ({
  action,
  object: { type: 'group' as const, id, name },
});
