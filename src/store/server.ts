/** The settings of the server, in the row of the installation, and its nodes: the processes over a PostgreSQL database. */

import sql from 'sql-template-tag';
import { hourMs } from '#domain/durations.ts';
import type { Node, ServerSettings } from '#domain/server.ts';
import type { Reader, Tx } from './sql.ts';

interface SettingsRow {
  readonly two_factor_required: number | boolean;
  readonly session_idle_hours: number;
  readonly session_days: number;
}

const settingsColumns = sql`two_factor_required, session_idle_hours, session_days`;

const toSettings = (row: SettingsRow | undefined): ServerSettings => {
  if (!row) throw new Error('the database has no account');
  return {
    twoFactorRequired: Boolean(row.two_factor_required),
    sessionIdleHours: row.session_idle_hours,
    sessionDays: row.session_days,
  };
};

export const findServerSettings = async (db: Reader): Promise<ServerSettings> =>
  toSettings(await db.one(sql`select ${settingsColumns} from account`));

/** Locked until the commit. */
export const lockServerSettings = async (tx: Tx): Promise<ServerSettings> =>
  toSettings(await tx.one(sql`select ${settingsColumns} from account ${tx.lock}`));

export const saveSettings = (tx: Tx, { twoFactorRequired, sessionIdleHours, sessionDays }: ServerSettings) =>
  tx.run(sql`
    update account set two_factor_required = ${twoFactorRequired}, session_idle_hours = ${sessionIdleHours},
                       session_days = ${sessionDays}`);

/** Saves the node's heartbeat, and deletes nodes that have been silent for an hour. */
export async function saveNode(tx: Tx, id: string, { host, version, startedAt }: Omit<Node, 'seenAt'>): Promise<void> {
  await tx.run(sql`
    insert into nodes (id, host, version, started_at, seen_at) values (${id}, ${host}, ${version}, ${startedAt}, ${tx.now})
    on conflict (id) do update set seen_at = excluded.seen_at`);
  await tx.run(sql`delete from nodes where seen_at < ${tx.now - hourMs}`);
}

export const deleteNode = (tx: Tx, id: string) => tx.run(sql`delete from nodes where id = ${id}`);

/** Those seen within the last minute; 100 at most. */
export const listNodes = (db: Reader) =>
  db.all<Node>(sql`
    select host, version, started_at as "startedAt", seen_at as "seenAt" from nodes
     where seen_at > ${db.clock() - 60_000} order by seen_at, id limit 100`);
