/** Names of the rows in a comparison, and what copying to the right does. `before` is the right side. */
import type { Difference } from '#domain/definitions/differences.ts';
import { differenceTitle } from '../../../targeting/difference-words.ts';

export interface CompareRow {
  readonly difference: Difference;
  /** Unique among the rows. */
  readonly name: string;
  /** The left side has nothing here, so copying removes it from the right. */
  readonly isRemoval: boolean;
}

interface Sides {
  readonly left: string;
  readonly right: string;
}

/** Rules in left-side order; right-only rules keep their position. */
export function compareRows(differences: readonly Difference[], sides: Sides): CompareRow[] {
  const rules = differences
    .filter((one) => one.kind === 'rule')
    .toSorted((one, other) => placeOf(one) - placeOf(other));
  return differences
    .map((one) => (one.kind === 'rule' ? (rules.shift() ?? one) : one))
    .map((difference) => ({
      difference,
      name: nameOf(difference, sides),
      isRemoval: isNothing(difference.after) && !isNothing(difference.before),
    }));
}

const placeOf = ({ before, after }: Difference & { kind: 'rule' }): number => after?.at ?? (before?.at ?? 0) + 0.5;

const isNothing = (side: unknown): boolean => side === undefined || (Array.isArray(side) && side.length === 0);

function nameOf(difference: Difference, sides: Sides): string {
  const { kind, before, after } = difference;
  if (kind === 'killed') return 'Killed';
  if (kind === 'rule') return bothNames('Rule', before && `${before.at + 1}`, after && `${after.at + 1}`, sides);
  if (kind === 'treatment') return bothNames('Treatment', before?.name, after?.name, sides);
  return differenceTitle(difference);
}

function bothNames(what: string, before: string | undefined, after: string | undefined, { left, right }: Sides) {
  if (after === undefined) return `${what} ${before}, only in ${right}`;
  if (before === undefined) return `${what} ${after}, only in ${left}`;
  return before === after ? `${what} ${after}` : `${what} ${after}, in ${right} ${before}`;
}
