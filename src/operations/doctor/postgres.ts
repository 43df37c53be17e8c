/** Problems of a PostgreSQL server that responds. */
import sql, { join } from 'sql-template-tag';
import { oldestVersion } from '#store/postgres/pool.ts';
import type { Reader } from '#store/sql.ts';
import { tables } from '../copy.ts';
import { clockFinding, type Finding } from './finding.ts';

interface Server {
  readonly version: string;
  readonly version_number: number;
  readonly encoding: string;
  readonly standby: boolean;
  readonly bytes: number;
  readonly now: number;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly autovacuum: string;
}

const subject = 'database';

export async function examineServer(db: Reader): Promise<Finding[]> {
  const before = Date.now();
  const server = await db.one<Server>(sql`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as version_number,
           current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby,
           pg_database_size(current_database()) as bytes,
           (extract(epoch from clock_timestamp()) * 1000)::bigint as now,
           current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
           current_setting('synchronous_commit') as synchronous_commit, current_setting('autovacuum') as autovacuum`);
  if (!server) return [];
  const offByMs = clockDifference(server.now, before, Date.now());
  return [
    fitness(server),
    durability(server),
    upkeep(server),
    await collations(db),
    clockFinding(
      offByMs,
      `this machine's clock and the database's differ by ${Math.round(offByMs / 100) / 10} seconds`,
    ),
  ];
}

/** The names of the tables, in order. */
export async function listServerTables(db: Reader): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`
    select table_name as name from information_schema.tables where table_schema = current_schema() order by name`);
  return rows.map(({ name }) => name);
}

/** The response took a while; the clock was read somewhere in between. */
function clockDifference(there: number, before: number, after: number): number {
  if (there < before) return before - there;
  return Math.max(0, there - after);
}

function fitness({ version, version_number, encoding, standby, bytes }: Server): Finding {
  const trouble = (sentence: string): Finding => ({ level: 'trouble', subject, sentence });
  if (version_number < oldestVersion) return trouble(`PostgreSQL ${version} is too old: 14 or newer is required`);
  if (encoding !== 'UTF8') return trouble(`its encoding is ${encoding}: create it with encoding UTF8`);
  if (standby) return trouble('the server is a read-only standby: point DATABASE_URL at the primary');
  return { level: 'ok', subject, sentence: `PostgreSQL ${version}, a primary; ${bytes} bytes` };
}

function durability(server: Server): Finding {
  const off = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).filter((name) => server[name] === 'off');
  if (off.length === 0) return { level: 'ok', subject, sentence: 'commits are flushed to disk' };
  const sentence = `${off.join(', ')} off: acknowledged changes may be lost in a crash; turn on`;
  return { level: 'warning', subject, sentence };
}

function upkeep({ autovacuum }: Server): Finding {
  if (autovacuum === 'on') return { level: 'ok', subject, sentence: 'autovacuum is on' };
  const sentence = 'autovacuum off: tables grow with each change, and query plans become outdated; turn it on';
  return { level: 'warning', subject, sentence };
}

async function collations(db: Reader): Promise<Finding> {
  const names = [...tables.map(({ name }) => name), 'migrations'];
  const others = await db.all<{ place: string }>(sql`
    select table_name || '.' || column_name as place from information_schema.columns
     where table_schema = current_schema() and data_type = 'text' and collation_name is distinct from 'C'
       and table_name in (${join(names)}) order by place`);
  if (others.length === 0) return { level: 'ok', subject, sentence: 'all text columns compare by bytes' };
  const places = others.map(({ place }) => place).join(', ');
  const sentence = `text does not compare by bytes in ${places}: restore a backup into an empty database`;
  return { level: 'trouble', subject, sentence };
}
