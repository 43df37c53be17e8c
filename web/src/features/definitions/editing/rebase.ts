/** Somebody else saved while there was a draft: the draft goes on from what they saved. */

import type { Conflict } from '#domain/definitions/conflict.ts';
import type { Targeting } from '#domain/definitions/definition.ts';
import { type Difference, differencesBetween } from '#domain/definitions/differences.ts';
import { isSameStep, type Merged, mergeTargetings } from '#domain/definitions/merge.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { targetingOf } from '#domain/definitions/targeting-of.ts';
import { equalJson } from '#domain/json.ts';
import type { Draft } from '../../../state/drafts.ts';

/** The draft on top of what is saved now; undefined when nothing of it is left to save. */
export function rebased(draft: Draft, saved: ExpandedDefinition | undefined): Draft | undefined {
  if (!saved) return { ...draft, base: null, etag: null, conflicts: [] };
  const theirs = targetingOf(saved);
  // Who defines what somebody else has defined meanwhile changes that.
  if (!draft.base) {
    return equalJson(theirs, draft.targeting) ? undefined : { ...draft, base: theirs, etag: saved.etag };
  }
  const merged = mergeTargetings({ base: draft.base, theirs, mine: draft.targeting });
  const conflicts = [...draft.conflicts.filter((old) => isOpen(old, merged, theirs)), ...merged.conflicts];
  if (equalJson(merged.targeting, theirs) && conflicts.length === 0) return undefined;
  return {
    ...draft,
    base: theirs,
    etag: saved.etag,
    targeting: merged.targeting,
    conflicts,
  };
}

/** Until they change the same step anew, which is another conflict, or come to what is mine. */
function isOpen(old: Conflict, { targeting, conflicts }: Merged, theirs: Targeting): boolean {
  if (conflicts.some(({ mine }) => isStepOf(mine, old))) return false;
  return isWaitingRemoval(old, theirs) || differencesBetween(theirs, targeting).some((one) => isStepOf(one, old));
}

/** What I removed and they use is in the draft until I choose. */
const isWaitingRemoval = ({ mine }: Conflict, { treatments }: Targeting): boolean =>
  mine.kind === 'treatment' && !mine.after && treatments.some(({ name }) => name === mine.before?.name);

/** A rule is the one that they had after the conflict; where they removed it, the one that is mine alone. */
function isStepOf(difference: Difference, { theirs, mine }: Conflict): boolean {
  if (difference.kind !== 'rule' || theirs.kind !== 'rule') return isSameStep(difference, mine);
  return equalJson(difference.before?.rule, theirs.after?.rule);
}
