/** How large the file of SQLite gets by changes of definitions. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fillCatalogue } from '../catalogue.ts';
import { loadOn } from '../measuring.ts';
import { patchDefinitions } from '../requests.ts';
import { startBurgee } from '../servers.ts';
import type { Bench } from '../workbench.ts';

const flags = 1_000;
const clients = 8;

export interface FileGrowth {
  readonly changes: readonly number[];
  readonly bytes: readonly number[];
}

export async function measureDatabaseFile(bench: Bench, changes: readonly number[]): Promise<FileGrowth> {
  bench.tell('The size of the database file against the number of changes');
  const file = join(bench.folder, 'file.db');
  await fillCatalogue(`file:${file}`, { flags, people: 0 });
  const server = bench.started(await startBurgee(`file:${file}`));
  const bytes: number[] = [];
  let made = 0;
  for (const count of changes) {
    const maxTurns = (count - made) / clients;
    if (maxTurns > 0) {
      const asking = { clients, requests: patchDefinitions(flags, clients), order: 'own' as const };
      await bench.load.run({ ...loadOn([server], asking, 600_000), maxTurns });
    }
    made = count;
    checkpoint(file);
    bytes.push(statSync(file).size);
  }
  await server.stop();
  return { changes, bytes };
}

/** Everything into the file itself, so that it can be weighed. */
function checkpoint(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}
