import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { OperatorError } from '#domain/operator.ts';
import { findUnfinishedCopy, migrate } from './migrate.ts';
import { openPostgresSnapshot } from './postgres/snapshot.ts';
import { openPostgres } from './postgres/store.ts';
import type { Snapshot, Store } from './sql.ts';
import { openSqliteSnapshot } from './sqlite/snapshot.ts';
import { openSqlite } from './sqlite/store.ts';

export interface Database {
  /** `file:` and a path, or a PostgreSQL URL. */
  readonly databaseUrl: string;
  /** Maximum number of PostgreSQL connections of this process. */
  readonly databasePool: number;
}

/**
 * Opens the database and updates its schema. Throws an OperatorError if it cannot. `fail` is called when SQLite could
 * not flush a commit; then every call is refused until a restart.
 */
export async function openStore(
  database: Database,
  clock: () => number = Date.now,
  fail?: (error: unknown) => void,
): Promise<Store> {
  return opened(await openWithoutMigrating(database, clock, fail), async (store) => {
    await migrate(store);
    if ((await findUnfinishedCopy(store)) === undefined) return;
    const target = withoutPassword(database.databaseUrl);
    throw new OperatorError(
      `The copy into ${target} was interrupted; run the same copy or restore again, or set DATABASE_URL to another database`,
    );
  });
}

/** The same for a copy, whose target may be an unfinished copy. */
export const openUnfinished = async (database: Database): Promise<Store> =>
  opened(await openWithoutMigrating(database, Date.now), migrate);

/** Prepares the store for use, or closes it. */
async function opened(store: Store, makeFit: (store: Store) => Promise<void>): Promise<Store> {
  try {
    await makeFit(store);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

const openWithoutMigrating = async (
  { databaseUrl, databasePool }: Database,
  clock: () => number,
  fail?: (error: unknown) => void,
): Promise<Store> =>
  isFile(databaseUrl)
    ? openSqlite(fileOf(databaseUrl), clock, fail)
    : openPostgres({ url: databaseUrl, poolSize: databasePool, clock });

/** Read-only. Throws an OperatorError if it cannot be opened or the file does not exist. */
export async function openSnapshot({ databaseUrl }: Database): Promise<Snapshot> {
  if (isMissingFile(databaseUrl)) throw new OperatorError(`There is no database at ${databaseUrl}`);
  return isFile(databaseUrl) ? openSqliteSnapshot(fileOf(databaseUrl)) : openPostgresSnapshot(databaseUrl);
}

/** For logs and messages. */
export const withoutPassword = (databaseUrl: string): string =>
  databaseUrl.replace(/^(\w+:\/\/[^/@]*?):[^/]*@/, '$1@').replace(/([?&]password=)[^&]*/, '$1…');

/** Opening a file creates it, so check first if one is expected. */
export const isMissingFile = (databaseUrl: string): boolean => isFile(databaseUrl) && !existsSync(fileOf(databaseUrl));

export const isFile = (databaseUrl: string): boolean => databaseUrl.startsWith('file:');

export const fileOf = (databaseUrl: string): string => resolve(databaseUrl.slice('file:'.length));
