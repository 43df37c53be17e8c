/** Someone else saved while there were unsaved edits: the edits continue from what was saved. */

import { equalJson } from '../json.ts';
import type { Targeting } from './definition.ts';
import { type Conflict, type Difference, differencesBetween } from './differences.ts';
import { isSameStep, type Merged, mergeTargetings } from './merge.ts';

export interface Unsaved {
  /** What the edits started from; null if there was no definition. */
  readonly base: Targeting | null;
  readonly targeting: Targeting;
  /** Unresolved conflicts with someone else's change. */
  readonly conflicts: readonly Conflict[];
}

/** The edits on top of `theirs`, which is now saved; undefined if nothing is left to save. */
export function rebase({ base, targeting, conflicts }: Unsaved, theirs: Targeting | undefined): Unsaved | undefined {
  if (!theirs) return { base: null, targeting, conflicts: [] };
  // Someone else defined the flag first: the edits change that definition.
  if (!base) return equalJson(theirs, targeting) ? undefined : { base: theirs, targeting, conflicts };
  const merged = mergeTargetings({ base, theirs, mine: targeting });
  const open = [...conflicts.filter((old) => isOpen(old, merged, theirs)), ...merged.conflicts];
  if (equalJson(merged.targeting, theirs) && open.length === 0) return undefined;
  return { base: theirs, targeting: merged.targeting, conflicts: open };
}

/** A conflict stays open until they change the same step again, which is a new conflict, or arrive at my version. */
function isOpen(old: Conflict, { targeting, conflicts }: Merged, theirs: Targeting): boolean {
  if (conflicts.some(({ mine }) => isStepOf(mine, old))) return false;
  return isWaitingRemoval(old, theirs) || differencesBetween(theirs, targeting).some((one) => isStepOf(one, old));
}

/** A treatment that I removed and they use stays until I choose. */
const isWaitingRemoval = ({ mine }: Conflict, { treatments }: Targeting): boolean =>
  mine.kind === 'treatment' && !mine.after && treatments.some(({ name }) => name === mine.before?.name);

/** A rule is identified by their version after the conflict; if they removed it, by mine. */
function isStepOf(difference: Difference, { theirs, mine }: Conflict): boolean {
  if (difference.kind !== 'rule' || theirs.kind !== 'rule') return isSameStep(difference, mine);
  return equalJson(difference.before?.rule, theirs.after?.rule);
}
