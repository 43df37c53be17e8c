import type { Difference } from './differences.ts';

/** The same step, changed by both in different ways; each says what it was before. */
export interface Conflict {
  readonly theirs: Difference;
  readonly mine: Difference;
}
