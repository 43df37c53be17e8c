/**
 * Makes a backup: one SQLite file with everything in it, from either database.
 *
 * Invariants
 * 1. It is the database at one moment: everything is read from one snapshot, while writers continue.
 * 2. A file with the final name is complete, on disk, and was read again and compared; until then it has another name.
 * 3. Only its owner can read it, from the first byte, because it contains invitation and reset links.
 * 4. It has the schema of its source, so a new version can back up a database that is not migrated yet.
 */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import sql from 'sql-template-tag';
import { OperatorError } from '#domain/operator.ts';
import { findAccount } from '#store/account.ts';
import { makeFolder } from '#store/folders.ts';
import { findUnfinishedCopy, listMigrations, migrate, migrationsNamed } from '#store/migrate.ts';
import { type Database, openSnapshot, withoutPassword } from '#store/open.ts';
import type { Reader, Store } from '#store/sql.ts';
import { endWriteAheadLog, fileEndings, listTables } from '#store/sqlite/file.ts';
import { openSqlite } from '#store/sqlite/store.ts';
import { copyTable, countRows, startSum, tables } from '../copy.ts';
import { type BackupFacts, examineBackup, type OnBackupProgress, type TableSum } from './verify.ts';

export interface BackupOptions {
  /** Must not exist. */
  readonly file: string;
  readonly onProgress?: OnBackupProgress;
}

/** Throws an OperatorError if it cannot be made, and leaves nothing behind. */
export async function makeBackup(
  database: Database,
  { file, onProgress = () => undefined }: BackupOptions,
): Promise<BackupFacts> {
  const final = resolve(file);
  if (existsSync(final)) throw new OperatorError(`${file} already exists; choose another name`);
  const partial = final + partialEnding;
  reserve(partial);
  try {
    await fill(database, partial, onProgress);
    const facts = await examineBackup(partial, onProgress);
    if (facts.troubles.length > 0) throw new OperatorError(`The backup is not good:\n${facts.troubles.join('\n')}`);
    syncFile(partial);
    renameSync(partial, final);
    syncFile(dirname(final));
    return facts;
  } catch (error) {
    for (const ending of fileEndings) rmSync(partial + ending, { force: true });
    throw error;
  }
}

/** Suffix of unfinished backups. */
export const partialEnding = '.partial';

function reserve(partial: string): void {
  try {
    makeFolder(dirname(partial));
    closeSync(openSync(partial, 'wx', 0o600));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new OperatorError(`The backup cannot be written: ${message}`);
    throw new OperatorError(`${partial} exists: a backup is being made, or was interrupted; if so, delete it`);
  }
}

async function fill(database: Database, partial: string, onProgress: OnBackupProgress): Promise<void> {
  // Everything answered until now is in it.
  const madeAt = Date.now();
  const source = await openSnapshot(database);
  try {
    const names = await migrationsOf(source, withoutPassword(database.databaseUrl));
    const target = openSqlite(partial, Date.now);
    try {
      await migrate(target, migrationsNamed(names));
      const sums = await copyAll(source, target, onProgress);
      await insertManifest(target, { madeAt, sums });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  endWriteAheadLog(partial);
}

/** Throws if there is nothing to back up, or only the beginning of a copy. */
async function migrationsOf(source: Reader, url: string): Promise<string[]> {
  const names = await listMigrations(source).catch((error: unknown) => {
    throw new OperatorError(`There is nothing to back up in ${url}: ${(error as Error).message}`);
  });
  if (!(await findAccount(source))) throw new OperatorError(`There is nothing to back up in ${url}`);
  if (await findUnfinishedCopy(source))
    throw new OperatorError(`The copy into ${url} was interrupted; finish it first`);
  return names;
}

/** The checksums are those of the rows as they were read; verification compares them with the file. */
async function copyAll(source: Reader, target: Store, onProgress: OnBackupProgress): Promise<TableSum[]> {
  const there = new Set(await listTables(target));
  const sums: TableSum[] = [];
  for (const table of tables.filter(({ name }) => there.has(name))) {
    const total = await countRows(source, table);
    const sum = startSum();
    const what = `backing up ${table.name}`;
    await copyTable(source, target, { table, sum, onProgress: (rows) => onProgress({ what, rows, total }) });
    sums.push({ name: table.name, ...sum.end() });
  }
  return sums;
}

const insertManifest = (target: Store, { madeAt, sums }: { madeAt: number; sums: readonly TableSum[] }) =>
  target.changeSchema(async (tx) => {
    await tx.define('create table backup (made_at bigint not null)');
    await tx.define(
      'create table backup_tables (name text primary key, row_count bigint not null, checksum text not null)',
    );
    await tx.run(sql`insert into backup (made_at) values (${madeAt})`);
    for (const { name, rows, checksum } of sums) {
      await tx.run(sql`insert into backup_tables (name, row_count, checksum) values (${name}, ${rows}, ${checksum})`);
    }
  });

/** For folders too: the new name must survive a power failure. */
function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
