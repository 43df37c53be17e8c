/** Reads a whole backup without changing it, and reports its contents and errors. */
import { existsSync, statSync } from 'node:fs';
import sql, { raw } from 'sql-template-tag';
import { OperatorError } from '#domain/operator.ts';
import { listMigrations, ownMigrations } from '#store/migrate.ts';
import type { Reader } from '#store/sql.ts';
import { listDamages, listTables } from '#store/sqlite/file.ts';
import { openSqliteSnapshot } from '#store/sqlite/snapshot.ts';
import { sumOf, tables } from '../copy.ts';

export interface TableSum {
  readonly name: string;
  readonly rows: number;
  readonly checksum: string;
}

export interface BackupFacts {
  readonly madeAt: number;
  readonly bytes: number;
  /** The newest migration, that is, the schema version. */
  readonly schema: string;
  /** As they are in the file. */
  readonly tables: readonly TableSum[];
  /** Time of the newest audit entry. */
  readonly newestChangeAt: number | undefined;
  /** Why it is a bad copy, one sentence each; empty if it matches its source. */
  readonly troubles: readonly string[];
  /** Gaps in the audit log. In a good copy, the source has the same gaps. */
  readonly gaps: readonly string[];
}

/** Called repeatedly, with what is being done and how many of its rows are done. */
export type OnBackupProgress = (progress: { what: string; rows: number; total: number }) => void;

/** Throws an OperatorError if the file is not a backup or is too damaged to read. */
export async function examineBackup(
  file: string,
  onProgress: OnBackupProgress = () => undefined,
): Promise<BackupFacts> {
  if (!existsSync(file)) throw new OperatorError(`There is no file ${file}`);
  const db = openSqliteSnapshot(file);
  try {
    if (!(await listTables(db)).includes('backup_tables')) throw new OperatorError('it has no table of contents');
    return { bytes: statSync(file).size, ...(await examine(db, onProgress)) };
  } catch (error) {
    throw new OperatorError(`${file} is not a usable backup: ${(error as Error).message}`);
  } finally {
    await db.close();
  }
}

async function examine(db: Reader, onProgress: OnBackupProgress): Promise<Omit<BackupFacts, 'bytes'>> {
  onProgress({ what: 'checking pages and indexes', rows: 0, total: 1 });
  const damages = await listDamages(db);
  const migrations = await listMigrations(db);
  const promised = await db.all<TableSum>(sql`select name, row_count as rows, checksum from backup_tables`);
  const totals = new Map(promised.map(({ name, rows }) => [name, rows]));
  const found: TableSum[] = [];
  for (const table of tables.filter(({ name }) => totals.has(name))) {
    const total = totals.get(table.name) ?? 0;
    const show = (rows: number) => onProgress({ what: `verifying ${table.name}`, rows, total });
    found.push({ name: table.name, ...(await sumOf(db, table, show)) });
  }
  const newest = await db.one<{ at: number | null }>(sql`select max(at) as at from changes`);
  return {
    madeAt: (await db.one<{ made_at: number }>(sql`select made_at from backup`))?.made_at ?? 0,
    schema: migrations.at(-1) ?? '',
    tables: found,
    newestChangeAt: newest?.at ?? undefined,
    troubles: [...damages, ...fromTheFuture(migrations), ...differences(promised, found)],
    gaps: await gapsOf(db, migrations.includes('0009-audit-log.sql')),
  };
}

function fromTheFuture(migrations: readonly string[]): string[] {
  const known = new Set(ownMigrations().map(({ name }) => name));
  const unknown = migrations.filter((name) => !known.has(name));
  return unknown.length > 0 ? [`it was made by a newer version of Burgee (it has ${unknown.join(', ')})`] : [];
}

/** SQLite does not notice a changed byte inside a value; the checksums do. */
function differences(promised: readonly TableSum[], found: readonly TableSum[]): string[] {
  const byName = new Map(found.map((sum) => [sum.name, sum]));
  return promised.flatMap(({ name, rows, checksum }) => {
    const there = byName.get(name);
    if (!there) return [`${name} is a table that this version does not know`];
    if (there.rows !== rows) return [`${name} has ${there.rows} rows, not the ${rows} that were backed up`];
    return there.checksum === checksum ? [] : [`${name} differs from what was backed up`];
  });
}

/**
 * The audit log must explain the data: every definition change starts from a recorded state, every definition matches
 * an entry, and every flag has a creation entry, except for entries deleted because of their age. `isLinked`: whether
 * entries name the previous one, and some may have been deleted.
 */
async function gapsOf(db: Reader, isLinked: boolean): Promise<string[]> {
  const states = `
    with states as (
      select environment_id, object_id, json_extract(after_body, '$.lastUpdateTime') as at
        from changes where object_type = 'definition' and after_body is not null)`;
  const removedBefore = isLinked ? '(select audit_removed_before from account)' : '0';
  const leadsNowhere = isLinked ? 'previous_id is not null and previous_id not in (select id from changes)' : 'false';
  const gaps: [sentence: string, query: string][] = [
    [
      'definition changes start from a state that no audit entry has',
      `${states}
       select count(*) as total from changes
        where object_type = 'definition'
          and (${leadsNowhere}
               or before_body is not null
                  and (environment_id, object_id, json_extract(before_body, '$.lastUpdateTime')) not in (select * from states)
                  and json_extract(before_body, '$.lastUpdateTime') >= ${removedBefore})`,
    ],
    [
      'definitions match no audit entry',
      `${states}
       select count(*) as total from definitions
        where (environment_id, flag_id, updated_at) not in (select * from states)`,
    ],
    [
      'flags have no creation entry in the audit log',
      `select count(*) as total from flags
        where id not in (select object_id from changes where action = 'flag.created')
          and created_at >= ${removedBefore}`,
    ],
  ];
  const complaints: string[] = [];
  for (const [sentence, query] of gaps) {
    const total = (await db.one<{ total: number }>(raw(query)))?.total ?? 0;
    if (total > 0) complaints.push(`${total} ${sentence}`);
  }
  return complaints;
}
