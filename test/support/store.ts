import { after } from 'node:test';
import { openStore } from '#store/open.ts';
import type { Store } from '#store/sql.ts';
import { newDatabase } from './databases.ts';

/** Closed after the tests of the file. The clock, where given, decides every instant that is written. */
export async function temporaryStore(clock: () => number = Date.now): Promise<Store> {
  const store = await openStore(await newDatabase(), clock);
  after(() => store.close());
  return store;
}
