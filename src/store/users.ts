import sql, { bulk, empty, join, type Sql } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import { Problem } from '#domain/problems.ts';
import { emailKey, type User, type UserStatus } from '#domain/users.ts';
import { isOpenTo } from './scope-filter.ts';
import { onRefused, type Position, type Reader, type Tx } from './sql.ts';

export interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly status: UserStatus;
  readonly two_factor: boolean | number;
  readonly created_at: number;
}

export const toUser = (row: UserRow, groupIds: readonly string[]): User => ({
  id: row.id,
  name: row.name,
  email: row.email,
  status: row.status,
  twoFactor: Boolean(row.two_factor),
  groupIds,
  createdAt: row.created_at,
});

export const userColumns = sql`u.id, u.name, u.email, u.status, u.two_factor, u.created_at`;

/** Only users with access to what the scope reaches. */
export const findUser = (db: Reader, id: string, scope: Scope): Promise<User> =>
  findWithGroups(db, id, withAccessTo(scope));

/** The current user, locked until the commit. */
export async function lockUser(tx: Tx, id: string): Promise<User> {
  await tx.one(sql`select id from users where id = ${id} ${tx.lock}`);
  return findWithGroups(tx, id);
}

/** One statement, because name and groups may change together. */
async function findWithGroups(db: Reader, id: string, condition = empty): Promise<User> {
  const rows = await db.all<UserRow & { readonly group_id: string | null }>(sql`
    select ${userColumns}, m.group_id from users u left join memberships m on m.user_id = u.id
     where u.id = ${id} ${condition}
     order by m.position`);
  const [row] = rows;
  if (!row) throw new Problem('user_not_found', { nameOrId: id });
  const groupIds = rows.flatMap(({ group_id }) => group_id ?? []);
  return toUser(row, groupIds);
}

export interface UserFilter {
  readonly scope: Scope;
  readonly status: UserStatus | undefined;
  readonly groupId: string | undefined;
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** In order of invitation. With `before`: those directly before it, in the same order. */
export async function listUsers(db: Reader, filter: UserFilter): Promise<User[]> {
  const { after, before } = filter;
  const place = after
    ? sql`and (u.created_at, u.id) > (${after.at}, ${after.id})`
    : before
      ? sql`and (u.created_at, u.id) < (${before.at}, ${before.id})`
      : empty;
  const rows = await db.all<UserRow>(sql`
    select ${userColumns} from ${await membersOf(db, filter.groupId)}
       and ${filter.status === undefined ? sql`1 = 1` : isInStatus[filter.status]} ${withAccessTo(filter.scope)} ${place}
     ${before ? sql`order by u.created_at desc, u.id desc` : sql`order by u.created_at, u.id`}
     limit ${filter.limit} offset ${filter.offset}`);
  if (before) rows.reverse();
  const groups = await listGroupIdsOf(
    db,
    rows.map((row) => row.id),
  );
  return rows.map((row) => toUser(row, groups.get(row.id) ?? []));
}

/** Written out, because the indexes are: one of those who wait, one of those who left. */
const isInStatus: Readonly<Record<UserStatus, Sql>> = {
  PENDING: sql`u.status = 'PENDING'`,
  ACTIVE: sql`u.status = 'ACTIVE'`,
  DEACTIVATED: sql`u.status = 'DEACTIVATED'`,
};

/** Looking up so many people and sorting them takes 5 ms on SQLite. */
const fewMembers = 1_000;

/**
 * The members of a small group are looked up; those of a large one are met when going through all people, which takes 45 ms
 * if the first is among the newest of 100,000.
 */
async function membersOf(db: Reader, groupId: string | undefined): Promise<Sql> {
  if (groupId === undefined) return sql`users u where 1 = 1`;
  const isLarge = await db.one(sql`
    select 1 from memberships where group_id = ${groupId} limit 1 offset ${fewMembers}`);
  return isLarge
    ? sql`users u where exists (select 1 from memberships m where m.group_id = ${groupId} and m.user_id = u.id)`
    : sql`memberships m cross join users u where m.group_id = ${groupId} and u.id = m.user_id`;
}

/**
 * A key sees the users with access to its project: it is unrestricted, or lists the user or one of the user's groups.
 * People see all users.
 */
function withAccessTo(scope: Scope): Sql {
  if (scope.kind === 'account' || scope.kind === 'member') return empty;
  const { projectId } = scope;
  return sql`and exists (select 1 from projects p
                          where p.id = ${projectId} and ${isOpenTo({ type: 'user', id: sql`u.id` })})`;
}

/** The users among the ids that the scope sees, with their names. They are not deleted before the commit. */
export async function lockUserNames(tx: Tx, ids: readonly string[], scope: Scope): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.all<{ id: string; name: string }>(sql`
    select u.id, u.name from users u where u.id in (${join([...ids])}) ${withAccessTo(scope)} order by u.id ${tx.lock}`);
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** The number of active administrators, except the given user. */
export async function countAdministrators(db: Reader, administratorsId: string, leftOut = ''): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from memberships m join users u on u.id = m.user_id
     where m.group_id = ${administratorsId} and u.status = 'ACTIVE' and u.id <> ${leftOut}`);
  return row?.total ?? 0;
}

const emailTaken = (email: string) => onRefused({ users_email_key: () => new Problem('user_email_taken', { email }) });

export async function insertUser(tx: Tx, user: User): Promise<void> {
  await tx
    .run(sql`
      insert into users (id, email, email_key, name, status, two_factor, created_at)
      values (${user.id}, ${user.email}, ${emailKey(user.email)}, ${user.name}, ${user.status}, ${user.twoFactor},
              ${user.createdAt})`)
    .catch(emailTaken(user.email));
  await saveGroupIds(tx, user);
}

export async function saveUser(tx: Tx, user: User): Promise<void> {
  await tx
    .run(sql`
      update users
         set email = ${user.email}, email_key = ${emailKey(user.email)}, name = ${user.name}, status = ${user.status}
       where id = ${user.id}`)
    .catch(emailTaken(user.email));
  await tx.run(sql`delete from memberships where user_id = ${user.id}`);
  await saveGroupIds(tx, user);
}

/** Also deletes the invitation and its mail. */
export const deleteUser = (tx: Tx, id: string) => tx.run(sql`delete from users where id = ${id}`);

async function saveGroupIds(tx: Tx, user: User): Promise<void> {
  if (user.groupIds.length === 0) return;
  await tx.run(sql`
    insert into memberships (user_id, group_id, position)
    values ${bulk(user.groupIds.map((groupId, position) => [user.id, groupId, position]))}`);
}

/** In the order the user joined them. */
async function listGroupIdsOf(db: Reader, userIds: readonly string[]): Promise<Map<string, string[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await db.all<{ user_id: string; group_id: string }>(sql`
    select user_id, group_id from memberships where user_id in (${join([...userIds])}) order by position`);
  const found = new Map<string, string[]>();
  for (const row of rows) found.set(row.user_id, [...(found.get(row.user_id) ?? []), row.group_id]);
  return found;
}
