import sql, { join } from 'sql-template-tag';
import { administrators, type Group } from '#domain/groups.ts';
import { Problem } from '#domain/problems.ts';
import type { Reference } from '#domain/schema.ts';
import { findPage, type Page, type Total } from './paging.ts';
import { onRefused, type Reader, type Tx } from './sql.ts';

type GroupRow = Omit<Group, 'type'>;

const toGroup = (row: GroupRow): Group => ({ id: row.id, name: row.name, description: row.description, type: 'group' });

export async function findGroup(db: Reader, id: string): Promise<Group> {
  const row = await db.one<GroupRow>(sql`select id, name, description from groups where id = ${id}`);
  if (!row) throw new Problem('group_not_found', { nameOrId: id });
  return toGroup(row);
}

/** The current group, locked until the commit. */
export async function lockGroup(tx: Tx, id: string): Promise<Group> {
  const row = await tx.one<GroupRow>(sql`select id, name, description from groups where id = ${id} ${tx.lock}`);
  if (!row) throw new Problem('group_not_found', { nameOrId: id });
  return toGroup(row);
}

/** In order of creation. */
export async function listGroups(db: Reader, page: Page, counted: Total): Promise<Group[]> {
  const rows = await findPage(page, counted, {
    fromStart: ({ offset, limit }) =>
      db.all<GroupRow>(sql`
        select id, name, description from groups order by created_at, id limit ${limit} offset ${offset}`),
    fromEnd: async ({ offset, limit }) =>
      (
        await db.all<GroupRow>(sql`
          select id, name, description from groups where (${lastChange}) = ${counted.changes}
           order by created_at desc, id desc limit ${limit} offset ${offset}`)
      ).reverse(),
  });
  return rows.map(toGroup);
}

export async function countGroups(db: Reader): Promise<Total> {
  const row = await db.one<Total>(sql`select count(*) as total, (${lastChange}) as changes from groups`);
  return row ?? { total: 0, changes: 0 };
}

/** The number of the last change to the list: a group created or deleted. */
export async function findGroupChanges(db: Reader): Promise<number | undefined> {
  return (await db.one<{ group_changes: number }>(lastChange))?.group_changes;
}

const lastChange = sql`select group_changes from account where single = true`;

/** The groups among the ids, with their names. They are not deleted before the commit. */
export async function lockGroupNames(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.all<{ id: string; name: string }>(sql`
    select id, name from groups where id in (${join([...ids])}) order by id ${tx.lock}`);
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** This group cannot be renamed, so its name identifies it. */
export async function findAdministratorsId(db: Reader): Promise<string> {
  const row = await db.one<{ id: string }>(sql`select id from groups where name = ${administrators.name}`);
  if (!row) throw new Problem('group_not_found', { nameOrId: administrators.name });
  return row.id;
}

const nameTaken = (name: string) => onRefused({ groups_name_key: () => new Problem('group_name_taken', { name }) });

export async function insertGroup(tx: Tx, group: Group): Promise<void> {
  await tx
    .run(sql`
      insert into groups (id, name, description, created_at)
      values (${group.id}, ${group.name}, ${group.description}, ${tx.now})`)
    .catch(nameTaken(group.name));
  await nextGroupChange(tx);
}

/** Length and order of the list stay the same, so its change number does too. */
export const saveGroup = (tx: Tx, group: Group) =>
  tx
    .run(sql`update groups set name = ${group.name}, description = ${group.description} where id = ${group.id}`)
    .catch(nameTaken(group.name));

/** In the order in which the user joined them. */
export const listGroupsOfUser = (db: Reader, userId: string) =>
  db.all<Reference>(sql`
    select g.id, g.name from memberships m join groups g on g.id = m.group_id
     where m.user_id = ${userId} order by m.position`);

/** Part by part: everyone may be in it. Returns the ids of those who were members. */
async function deleteMemberships(tx: Tx, groupId: string): Promise<string[]> {
  const members: string[] = [];
  for (;;) {
    const rows = await tx.all<{ id: string }>(sql`
      select user_id as id from memberships where group_id = ${groupId} order by user_id limit ${tx.rowsAtOnce}`);
    if (rows.length === 0) return members;
    const ids = rows.map(({ id }) => id);
    await tx.run(sql`delete from memberships where group_id = ${groupId} and ${tx.isOneOf(sql`user_id`, ids)}`);
    members.push(...ids);
  }
}

/** Returns the ids of its members. */
export async function deleteGroup(tx: Tx, id: string): Promise<string[]> {
  const members = await deleteMemberships(tx, id);
  await tx.run(sql`delete from groups where id = ${id}`);
  await nextGroupChange(tx);
  return members;
}

/**
 * Raises the list's change number, which invalidates counted totals. Creating and deleting groups queue on the account
 * row until the commit, so call this last.
 */
const nextGroupChange = (tx: Tx) =>
  tx.run(sql`
    update account
       set group_changes = case when group_changes < ${tx.now} then ${tx.now} else group_changes + 1 end
     where single = true`);
