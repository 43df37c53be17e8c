import sql, { type Sql } from 'sql-template-tag';
import { administrators } from '#domain/groups.ts';
import type { User } from '#domain/users.ts';
import type { Reader, Tx } from './sql.ts';
import { toUser, type UserRow, userColumns } from './users.ts';

export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly address: string;
  readonly agent: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
}

const columns = sql`
  s.id, s.user_id as "userId", s.address, s.agent, s.created_at as "createdAt", s.last_seen_at as "lastSeenAt"`;

/** By the settings of the server as they are now. */
const alive = (now: number) => sql`
  s.last_seen_at > ${now} - (select session_idle_hours * 3600000 from account where single = true)
  and s.created_at > ${now} - (select session_days * 86400000 from account where single = true)`;

/** A signed-in user. */
export interface SignedIn {
  readonly session: Session;
  readonly user: User;
  readonly isAdministrator: boolean;
  /** The server requires a second factor and they have none: until they set one up, they can do nothing else. */
  readonly lacksSecondFactor: boolean;
}

/** By the hash of the session token, if the session is valid and its user may sign in. */
export const findSignedIn = (db: Reader, tokenHash: string) => findWithUser(db, sql`s.token_hash = ${tokenHash}`);

/** The same by session id. */
export const findSignedInById = (db: Reader, id: string) => findWithUser(db, sql`s.id = ${id}`);

type SignedInRow = UserRow & {
  readonly session_id: string;
  readonly address: string;
  readonly agent: string;
  readonly session_created_at: number;
  readonly last_seen_at: number;
  readonly group_id: string | null;
  readonly group_name: string | null;
  readonly two_factor_required: number | boolean;
};

/** One statement, so that all is from the same moment: a row for each group of the user. */
async function findWithUser(db: Reader, condition: Sql): Promise<SignedIn | undefined> {
  const rows = await db.all<SignedInRow>(sql`
    select ${userColumns}, s.id as session_id, s.address, s.agent, s.created_at as session_created_at, s.last_seen_at,
           m.group_id, g.name as group_name, (select two_factor_required from account where single = true) as two_factor_required
      from sessions s join users u on u.id = s.user_id
      left join memberships m on m.user_id = u.id left join groups g on g.id = m.group_id
     where ${condition} and u.status = 'ACTIVE' and ${alive(db.clock())}
     order by m.position`);
  const [row] = rows;
  if (!row) return undefined;
  const { session_id: id, id: userId, address, agent, session_created_at: createdAt, last_seen_at: lastSeenAt } = row;
  return {
    session: { id, userId, address, agent, createdAt, lastSeenAt },
    user: toUser(
      row,
      rows.flatMap(({ group_id }) => group_id ?? []),
    ),
    // This group cannot be renamed.
    isAdministrator: rows.some(({ group_name }) => group_name === administrators.name),
    lacksSecondFactor: Boolean(row.two_factor_required) && !row.two_factor,
  };
}

/** The user's valid sessions, oldest first. */
export const listSessions = (db: Reader, userId: string) =>
  db.all<Session>(sql`
    select ${columns} from sessions s where s.user_id = ${userId} and ${alive(db.clock())} order by s.created_at, s.id`);

/** Valid sessions of all users. */
export async function countSessions(db: Reader): Promise<number> {
  const row = await db.one<{ count: number }>(sql`select count(*) as count from sessions s where ${alive(db.clock())}`);
  return row?.count ?? 0;
}

/** Also deletes the user's expired sessions. */
export async function insertSession(tx: Tx, session: Session, tokenHash: string): Promise<void> {
  await tx.run(sql`
    delete from sessions where id in (
      select s.id from sessions s where s.user_id = ${session.userId} and not (${alive(tx.now)}))`);
  await tx.run(sql`
    insert into sessions (id, user_id, token_hash, address, agent, created_at, last_seen_at)
    values (${session.id}, ${session.userId}, ${tokenHash}, ${session.address}, ${session.agent},
            ${session.createdAt}, ${session.lastSeenAt})`);
}

/** Returns how many existed: none or one. */
export const deleteSession = (tx: Tx, userId: string, id: string) =>
  tx.run(sql`delete from sessions where user_id = ${userId} and id = ${id}`);

export const deleteSessionsOfUser = (tx: Tx, userId: string) =>
  tx.run(sql`delete from sessions where user_id = ${userId}`);

/** Bookkeeping, so no audit entry. */
export const saveLastSeen = (tx: Tx, id: string) =>
  tx.run(sql`update sessions set last_seen_at = ${tx.now} where id = ${id}`);
