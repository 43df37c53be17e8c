/** Detects writes: a checksum over all rows, without the last use of keys and sessions, and without what jobs write. */
import { createHash } from 'node:crypto';
import { raw } from 'sql-template-tag';
import type { Reader } from '#store/sql.ts';
import { tablesQuery } from './databases.ts';

type Rows = (query: string) => Promise<Record<string, unknown>[]>;

export async function fingerprint(rowsOf: Rows): Promise<string> {
  const hash = createHash('sha256');
  for (const { name } of (await rowsOf(tablesQuery)) as { name: string }[]) {
    if (ofJobs.includes(name)) continue;
    const rows = await rowsOf(`select * from ${name}`);
    const lines = rows.map((row) => JSON.stringify(lastUses.some((column) => column in row) ? withoutUse(row) : row));
    hash.update(`${name}\n${lines.sort().join('\n')}\n`);
  }
  return hash.digest('hex');
}

const ofJobs = ['definition_facts', 'traffic_counts', 'flag_traffic'];
const lastUses = ['last_used_at', 'last_seen_at'];

/** Only for rows that have one: a copy of each row would take as long as all the rest. */
const withoutUse = (row: Record<string, unknown>) => ({ ...row, last_used_at: null, last_seen_at: null });

/** The same of a database that is open here. */
export const fingerprintOf = (db: Reader): Promise<string> => fingerprint((query) => db.all(raw(query)));
