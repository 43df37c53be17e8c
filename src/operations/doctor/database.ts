/** Examines a database without changing it. */
import { statSync } from 'node:fs';
import sql, { raw } from 'sql-template-tag';
import { commandLine } from '#domain/operator.ts';
import { findUnfinishedCopy, listMigrations, ownMigrations } from '#store/migrate.ts';
import { type Database, fileOf, isFile, isMissingFile, openSnapshot, withoutPassword } from '#store/open.ts';
import type { Reader } from '#store/sql.ts';
import { listDamages, listTables } from '#store/sqlite/file.ts';
import { clockFinding, type Finding } from './finding.ts';
import { examineServer, listServerTables } from './postgres.ts';

/** Never throws: what cannot be examined is a finding. */
export async function examineDatabase(database: Database): Promise<Finding[]> {
  const subject = 'database';
  if (isMissingFile(database.databaseUrl)) return [beforeTheFirstStart(fileOf(database.databaseUrl))];
  try {
    const db = await openSnapshot(database);
    try {
      const isOfSqlite = isFile(database.databaseUrl);
      const own = isOfSqlite ? await examineFile(db, fileOf(database.databaseUrl)) : await examineServer(db);
      const tables = await (isOfSqlite ? listTables(db) : listServerTables(db));
      if (tables.length === 0) return [...own, beforeTheFirstStart(withoutPassword(database.databaseUrl))];
      return [...own, await examineSchema(db), ...(await examineContents(db))];
    } finally {
      await db.close();
    }
  } catch (error) {
    const place = withoutPassword(database.databaseUrl);
    return [{ level: 'trouble', subject, sentence: `${place}: ${(error as Error).message}` }];
  }
}

/** Nothing to fix, unless there should be a database already. */
const beforeTheFirstStart = (place: string): Finding => ({
  level: 'warning',
  subject: 'schema',
  sentence: `there are no tables yet: the first start creates them. If you expected data in ${place}, check DATABASE_URL`,
});

async function examineFile(db: Reader, file: string): Promise<Finding[]> {
  const subject = 'database';
  const { mode, size } = statSync(file);
  const damages = await listDamages(db);
  const isOpen = (mode & 0o077) !== 0;
  return [
    damages.length === 0
      ? { level: 'ok', subject, sentence: `${file} is intact: ${size} bytes, every page, index and reference` }
      : { level: 'trouble', subject, sentence: `${file} is damaged: ${damages.join('; ')}. Restore a backup` },
    isOpen
      ? { level: 'warning', subject, sentence: `${file} can be read by other users of this machine: chmod 600` }
      : { level: 'ok', subject, sentence: `${file} is readable by its owner only` },
  ];
}

async function examineSchema(db: Reader): Promise<Finding> {
  const subject = 'schema';
  const known = ownMigrations().map(({ name }) => name);
  const applied = await listMigrations(db);
  const unknown = applied.filter((name) => !known.includes(name));
  const missing = known.filter((name) => !applied.includes(name));
  if (unknown.length > 0) {
    const sentence = `it was made by a newer version (it has ${unknown.join(', ')}): start that version`;
    return { level: 'trouble', subject, sentence };
  }
  if (missing.length > 0) {
    const sentence = `${missing.join(', ')} will be applied by the next start: make a backup first`;
    return { level: 'warning', subject, sentence };
  }
  return { level: 'ok', subject, sentence: `up to date: ${known.at(-1)}` };
}

async function examineContents(db: Reader): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (await findUnfinishedCopy(db)) {
    const sentence = 'a copy or restore into it was interrupted: run it again, or set DATABASE_URL to another database';
    findings.push({ level: 'trouble', subject: 'contents', sentence });
  }
  const { total = 0 } =
    (await db.one<{ total: number }>(sql`
    select count(*) as total from outbox where given_up_at is not null`)) ?? {};
  if (total > 0) {
    const sentence = `${total} mails were given up; to see them, run: ${commandLine('outbox list')}`;
    findings.push({ level: 'warning', subject: 'mail', sentence });
  }
  return [...findings, await examineClock(db)];
}

/** No audit entry is from the future, unless a clock is or was wrong. */
async function examineClock(db: Reader): Promise<Finding> {
  const newest = await db.one<{ at: number | null }>(raw('select max(at) as at from changes'));
  const aheadMs = (newest?.at ?? 0) - Date.now();
  const isAhead = aheadMs > 1_000;
  return clockFinding(
    isAhead ? aheadMs : 0,
    isAhead
      ? `this machine is ${Math.round(aheadMs / 1000)} seconds behind the newest audit entry`
      : 'the newest audit entry is in the past, as it should be',
  );
}
