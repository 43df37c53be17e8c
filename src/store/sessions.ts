import sql from 'sql-template-tag';
import { sessionIdleMs, sessionLifeMs } from '#domain/accounts.ts';
import type { Reader, Tx } from './sql.ts';

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

const alive = (now: number) => sql`s.last_seen_at > ${now - sessionIdleMs} and s.created_at > ${now - sessionLifeMs}`;

/** The session whose token has this hash, if it is alive and its user may sign in. */
export const findSession = (db: Reader, tokenHash: string) =>
  db.one<Session>(sql`
    select ${columns} from sessions s join users u on u.id = s.user_id
     where s.token_hash = ${tokenHash} and u.status = 'ACTIVE' and ${alive(db.clock())}`);

/** Those of the user that are alive, oldest first. */
export const listSessions = (db: Reader, userId: string) =>
  db.all<Session>(sql`
    select ${columns} from sessions s where s.user_id = ${userId} and ${alive(db.clock())} order by s.created_at, s.id`);

/** Those that are alive, of everybody. */
export async function countSessions(db: Reader): Promise<number> {
  const row = await db.one<{ count: number }>(sql`select count(*) as count from sessions s where ${alive(db.clock())}`);
  return row?.count ?? 0;
}

/** Also clears away the user's sessions that are over. */
export async function insertSession(tx: Tx, session: Session, tokenHash: string): Promise<void> {
  await tx.run(sql`
    delete from sessions
     where user_id = ${session.userId}
       and (last_seen_at <= ${tx.now - sessionIdleMs} or created_at <= ${tx.now - sessionLifeMs})`);
  await tx.run(sql`
    insert into sessions (id, user_id, token_hash, address, agent, created_at, last_seen_at)
    values (${session.id}, ${session.userId}, ${tokenHash}, ${session.address}, ${session.agent},
            ${session.createdAt}, ${session.lastSeenAt})`);
}

/** Answers how many were there: none or one. */
export const deleteSession = (tx: Tx, userId: string, id: string) =>
  tx.run(sql`delete from sessions where user_id = ${userId} and id = ${id}`);

export const deleteSessionsOfUser = (tx: Tx, userId: string) =>
  tx.run(sql`delete from sessions where user_id = ${userId}`);

/** Not a change but a note beside it: no audit entry. */
export const saveLastSeen = (tx: Tx, id: string) =>
  tx.run(sql`update sessions set last_seen_at = ${tx.now} where id = ${id}`);
