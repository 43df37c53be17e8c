/** A stored edit meets a definition that may have changed since: it is merged, or refused where both changed the same. */
import { equalJson } from '../json.ts';
import { type Definition, type Targeting, toTargeting } from './definition.ts';
import type { Conflict, Difference } from './differences.ts';
import { applyEdit, type DefinitionEdit } from './edits.ts';
import { mergeTargetings } from './merge.ts';

/** The definition that an edit started from. Undefined: there was none. */
export type EditBase = Pick<Definition, 'revision'> & Targeting;

export type EditConflict =
  /** Someone deleted the definition that the edit changes. */
  | { readonly kind: 'deleted' }
  /** Someone else defined the flag. */
  | { readonly kind: 'defined' }
  /** Someone changed the definition that the edit deletes. */
  | { readonly kind: 'changed' }
  /** Both changed the same step. */
  | { readonly kind: 'step'; readonly conflict: Conflict };

/** `edit` is undefined if there is nothing left to do. */
export interface EditNow {
  readonly edit: DefinitionEdit | undefined;
  readonly conflicts: readonly EditConflict[];
}

export function editNow(edit: DefinitionEdit, base: EditBase | undefined, now: Definition | undefined): EditNow {
  if (edit.kind === 'delete') {
    if (!now) return nothing;
    return now.revision === base?.revision ? as(edit) : conflict('changed');
  }
  if (edit.kind === 'create') {
    if (!now) return as(edit);
    return equalJson(applyEdit(undefined, edit), toTargeting(now)) ? nothing : conflict('defined');
  }
  if (!now) return conflict('deleted');
  // A switch means the same whatever else was changed.
  if (edit.kind === 'kill' || edit.kind === 'restore' || now.revision === base?.revision) return as(edit);
  if (!base) return conflict('defined');
  const mine = applyEdit({ ...now, ...base }, edit);
  const { targeting, conflicts } = mergeTargetings({ base: toTargeting(base), theirs: toTargeting(now), mine });
  if (conflicts.length > 0) {
    return { edit: undefined, conflicts: conflicts.map((one) => ({ kind: 'step', conflict: one })) };
  }
  return as({ kind: 'replace', body: targeting });
}

const nothing: EditNow = { edit: undefined, conflicts: [] };
const as = (edit: DefinitionEdit): EditNow => ({ edit, conflicts: [] });
const conflict = (kind: 'deleted' | 'defined' | 'changed'): EditNow => ({ edit: undefined, conflicts: [{ kind }] });

/** For people, without the name of the flag. */
export function sentenceOf(conflict: EditConflict): string {
  if (conflict.kind === 'deleted') return 'someone deleted the definition';
  if (conflict.kind === 'defined') return 'someone else defined the flag here';
  if (conflict.kind === 'changed') return 'someone changed the definition that is to be deleted';
  return `someone else changed ${stepOf(conflict.conflict)} too`;
}

/** What is in conflict, for a sentence: "rule 2", "the traffic allocation". */
function stepOf({ theirs }: Conflict): string {
  if (theirs.kind === 'rule') return `rule ${((theirs.before ?? theirs.after)?.at ?? 0) + 1}`;
  if (theirs.kind === 'treatment') return `the treatment ${(theirs.before ?? theirs.after)?.name}`;
  if (theirs.kind === 'keys' || theirs.kind === 'segments') return `the ${theirs.kind} of ${theirs.treatment}`;
  return theirs.kind === 'other' ? theirs.member : names[theirs.kind];
}

type Plain = Exclude<Difference['kind'], 'rule' | 'treatment' | 'keys' | 'segments' | 'other'>;
const names: Readonly<Record<Plain, string>> = {
  killed: 'whether it is killed',
  impressionsDisabled: 'whether SDKs send impressions',
  trafficAllocation: 'the traffic allocation',
  defaultRule: 'what everyone else gets',
  treatmentOrder: 'the order of treatments',
  defaultTreatment: 'the default treatment',
  baselineTreatment: 'the baseline treatment',
  flagSets: 'the flag sets',
};
