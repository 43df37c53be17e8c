/** ETags and If-Match. Every version of a flag or definition has its own number. */
import { Problem } from './problems.ts';

export interface Versioned {
  readonly id: string;
  readonly revision: number;
}

/** Includes the end of the id, so that an object recreated under the same name has other ETags. */
export const etagOf = ({ id, revision }: Versioned): string => `"${revision}-${id.slice(-12)}"`;

/** Whether the version of an ETag came after that of another. */
export const isNewer = (etag: string, other: string): boolean => revisionIn(etag) > revisionIn(other);

const revisionIn = (etag: string): number => Number.parseInt(etag.slice(1), 10);

/** Refuses if If-Match was sent and does not match the current version; `undefined`: there is none. */
export function requireMatch(ifMatch: string | undefined, current: Versioned | undefined): void {
  if (ifMatch === undefined) return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  const holds = current !== undefined && (tags.includes('*') || tags.includes(etagOf(current)));
  if (!holds) throw new Problem('precondition_failed');
}

/** The number of the next version: the clock's milliseconds, but always greater than the last. */
export const nextRevision = (now: number, last: number): number => Math.max(now, last + 1);

/** The object as recorded in the audit log. */
export const withoutRevision = <Thing extends { revision: number }>({ revision: _, ...thing }: Thing) => thing;
