/** Runs a bare driver's work repeatedly for a while, with the given concurrency. */

import type { LoadResult } from '../load.ts';
import { median, quantile } from '../ratios.ts';
import type { Statement } from '../recorded.ts';

export interface Repetition {
  readonly milliseconds: number;
  readonly clients: number;
}

export async function repeat(
  { milliseconds, clients }: Repetition,
  once: (client: number) => Promise<void> | void,
): Promise<Omit<LoadResult, 'meansMs'>> {
  const end = performance.now() + milliseconds;
  const times: number[] = [];
  const run = async (client: number) => {
    for (;;) {
      const start = performance.now();
      await once(client);
      const now = performance.now();
      if (now > end) return;
      times.push(now - start);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  const answered = times.length;
  // The last of each client is not among them.
  const served = answered + clients;
  return { answered, served, elapsedMs: milliseconds, medianMs: median(times), p99Ms: quantile(times, 0.99) };
}

/**
 * Where the values of a statement have the id of an audit entry: it is the first of those that are inserted. Undefined
 * for other statements.
 */
export function entryIdPlace({ sqlite }: Statement): number | undefined {
  if (!sqlite.includes('insert into changes')) return undefined;
  return sqlite.slice(0, sqlite.indexOf('values')).split('?').length - 1;
}

/** Makes another id each time. */
export function withNewId(values: Statement['values'], place: number): Statement['values'] {
  lastId += 1;
  const id = `01900000-0000-7000-9000-${String(process.pid % 1_000).padStart(3, '0')}${String(lastId).padStart(9, '0')}`;
  return values.with(place, id);
}
let lastId = 0;
