/** A database of its own for each test file: a real one, in a temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openStore } from '#store/open.ts';
import type { Store } from '#store/sql.ts';

/** A new empty folder that is gone after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Closed after the tests of the file. The clock, where given, decides every instant that is written. */
export async function temporaryStore(clock: () => number = Date.now): Promise<Store> {
  const store = await openStore(`file:${join(temporaryFolder(), 'burgee.db')}`, clock);
  after(() => store.close());
  return store;
}
