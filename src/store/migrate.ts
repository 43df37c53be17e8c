/** Updates the schema: plain SQL files, in order, forward only, each applied once and recorded. */
import { readdirSync, readFileSync } from 'node:fs';
import sql from 'sql-template-tag';
import { OperatorError } from '#domain/operator.ts';
import type { Reader, Store } from './sql.ts';

interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/**
 * One transaction: if several processes start at once, one migrates and the others find it done. Without pending
 * migrations no lock is taken, because a backup may hold it for long.
 */
export async function migrate(store: Store, migrations: readonly Migration[] = ownMigrations()): Promise<void> {
  // An empty database has no such table. Other errors show in the next transaction.
  const seen = await namesApplied(store).catch(() => new Set<string>());
  if (missingFrom(seen, migrations).length === 0) return;
  await store.changeSchema(async (tx) => {
    await tx.define('create table if not exists migrations (name text primary key, applied_at bigint not null)');
    for (const { name, statements } of missingFrom(await namesApplied(tx), migrations)) {
      for (const statement of statements) await tx.define(statement);
      await tx.run(sql`insert into migrations (name, applied_at) values (${name}, ${tx.now})`);
    }
  });
}

const namesApplied = async (db: Reader): Promise<Set<string>> =>
  new Set((await db.all<{ name: string }>(sql`select name from migrations`)).map(({ name }) => name));

/** Throws if a newer version has migrated the database. */
function missingFrom(applied: ReadonlySet<string>, migrations: readonly Migration[]): Migration[] {
  refuseTheFuture(applied, migrations);
  return migrations.filter(({ name }) => !applied.has(name));
}

/** The applied migrations in order, without the mark of a copy. */
export async function listMigrations(db: Reader): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`select name from migrations order by name`);
  return rows.map(({ name }) => name).filter((name) => !name.startsWith(copyMark));
}

/**
 * The migrations with these names, to give a database the schema of another. Throws if a newer version made that
 * schema.
 */
export function migrationsNamed(names: readonly string[]): Migration[] {
  const all = ownMigrations();
  refuseTheFuture(new Set(names), all);
  return all.filter(({ name }) => names.includes(name));
}

function refuseTheFuture(applied: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = [...applied].filter((name) => !known.has(name) && !name.startsWith(copyMark));
  if (unknown.length > 0) {
    throw new OperatorError(
      `The database was made by a newer version of Burgee (it has ${unknown.join(', ')}); start that version, or restore a backup`,
    );
  }
}

export function ownMigrations(): Migration[] {
  const folder = new URL('./migrations/', import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file, statements: statementsOf(readFileSync(new URL(file, folder), 'utf8')) }));
}

/** Statements end with a semicolon at the end of a line. There are no triggers, so that is enough. */
const statementsOf = (script: string): string[] =>
  script
    .replaceAll(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

/** In the migrations table, so that versions that know nothing of copies refuse the database too. */
export const copyMark = 'unfinished copy of ';

/** The source account's id, if this database is an unfinished copy. */
export async function findUnfinishedCopy(db: Reader): Promise<string | undefined> {
  const row = await db.one<{ name: string }>(
    sql`select name from migrations where name like ${`${copyMark}%`} order by name limit 1`,
  );
  return row?.name.slice(copyMark.length);
}
