import { resolve } from 'node:path';
import { migrate } from './migrate.ts';
import type { Store } from './sql.ts';
import { openSqlite } from './sqlite.ts';

/** Opens the database that the URL names and brings its schema up to date. Throws a plain sentence when it cannot. */
export async function openStore(databaseUrl: string, clock: () => number = Date.now): Promise<Store> {
  const store = openSqlite(resolve(databaseUrl.slice('file:'.length)), clock);
  try {
    await migrate(store);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}
