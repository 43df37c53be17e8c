/** Runs a bare driver's work repeatedly for a while, with the given concurrency. */

import type { LoadResult } from '../load.ts';
import { median, quantile } from '../ratios.ts';

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
  return { answered: times.length, elapsedMs: milliseconds, medianMs: median(times), p99Ms: quantile(times, 0.99) };
}

/** The audit entry has an id of its own, the first value of its statement; this makes another one each time. */
export function withNewId(values: readonly (string | number | null)[]): (string | number | null)[] {
  lastId += 1;
  return [
    `01900000-0000-7000-9000-${String(process.pid % 1_000).padStart(3, '0')}${String(lastId).padStart(9, '0')}`,
    ...values.slice(1),
  ];
}
let lastId = 0;

export const isAuditEntry = (statement: string): boolean => /^\s*insert into changes/.test(statement);
