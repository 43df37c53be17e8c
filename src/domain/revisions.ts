/** ETags and If-Match: every version of a flag or definition has a number of its own. */
import { Problem } from './problems.ts';

export interface Versioned {
  readonly id: string;
  readonly revision: number;
}

/** With the end of the id: what is made anew under an old name must not pass for what was there before. */
export const etagOf = ({ id, revision }: Versioned): string => `"${revision}-${id.slice(-12)}"`;

/** Refuses when If-Match was sent and does not name the current version; `undefined` says that there is none. */
export function requireMatch(ifMatch: string | undefined, current: Versioned | undefined): void {
  if (ifMatch === undefined) return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  const holds = current !== undefined && (tags.includes('*') || tags.includes(etagOf(current)));
  if (!holds) throw new Problem('precondition_failed');
}

/** The number of the next version: the clock's milliseconds, but always more than the last. */
export const nextRevision = (now: number, last: number): number => Math.max(now, last + 1);

/** The thing as the audit log keeps it. */
export const withoutRevision = <Thing extends { revision: number }>({ revision: _, ...thing }: Thing) => thing;
