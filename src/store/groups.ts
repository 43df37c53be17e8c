import sql, { join } from 'sql-template-tag';
import { administrators, type Group } from '#domain/groups.ts';
import { Problem } from '#domain/problems.ts';
import { onRefused, type Reader, type Tx } from './sql.ts';

type GroupRow = Omit<Group, 'type'>;

const toGroup = (row: GroupRow): Group => ({ id: row.id, name: row.name, description: row.description, type: 'group' });

export async function findGroup(db: Reader, id: string): Promise<Group> {
  const row = await db.one<GroupRow>(sql`select id, name, description from groups where id = ${id}`);
  if (!row) throw new Problem('group_not_found', { word: id });
  return toGroup(row);
}

/** The group as it is now, kept so until the commit. */
export async function lockGroup(tx: Tx, id: string): Promise<Group> {
  const row = await tx.one<GroupRow>(sql`select id, name, description from groups where id = ${id} ${tx.lock}`);
  if (!row) throw new Problem('group_not_found', { word: id });
  return toGroup(row);
}

/** In order of creation. */
export async function listGroups(db: Reader, { offset, limit }: { offset: number; limit: number }): Promise<Group[]> {
  const rows = await db.all<GroupRow>(sql`
    select id, name, description from groups order by created_at, id limit ${limit} offset ${offset}`);
  return rows.map(toGroup);
}

export async function countGroups(db: Reader): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from groups`);
  return row?.total ?? 0;
}

/** Of the given ids: those that are groups, with their names; they stay groups until the commit. */
export async function lockGroupNames(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.all<{ id: string; name: string }>(sql`
    select id, name from groups where id in (${join([...ids])}) order by id ${tx.lock}`);
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** The group cannot be renamed, so its name finds it. */
export async function findAdministratorsId(db: Reader): Promise<string> {
  const row = await db.one<{ id: string }>(sql`select id from groups where name = ${administrators.name}`);
  if (!row) throw new Problem('group_not_found', { word: administrators.name });
  return row.id;
}

const nameTaken = (name: string) => onRefused({ groups_name_key: () => new Problem('group_name_taken', { name }) });

export const insertGroup = (tx: Tx, group: Group) =>
  tx
    .run(sql`
      insert into groups (id, name, description, created_at)
      values (${group.id}, ${group.name}, ${group.description}, ${tx.now})`)
    .catch(nameTaken(group.name));

export const saveGroup = (tx: Tx, group: Group) =>
  tx
    .run(sql`update groups set name = ${group.name}, description = ${group.description} where id = ${group.id}`)
    .catch(nameTaken(group.name));

export async function listMemberIds(db: Reader, id: string): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`select user_id from memberships where group_id = ${id}`);
  return rows.map((row) => row.user_id);
}

/** Its members leave it; projects no longer list it. */
export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from project_viewers where viewer_type = 'group' and viewer_id = ${id}`);
  await tx.run(sql`delete from groups where id = ${id}`);
}
