/** Sorts the members of a definition for display as JSON, in the API's order. */
import type { Targeting } from '#domain/definitions/definition.ts';

/** One list for all objects in a definition; their orders do not conflict. */
const names = [
  ...['killed', 'splitName', 'treatments', 'name', 'description', 'configurations', 'keys', 'segments'],
  ...['defaultTreatment', 'baselineTreatment', 'trafficAllocation', 'rules', 'buckets', 'treatment', 'size'],
  ...['condition', 'combiner', 'matchers', 'negate', 'id', 'type', 'attribute', 'string', 'strings', 'number', 'date'],
  ...['between', 'from', 'to', 'bool', 'depends', 'defaultRule', 'impressionsDisabled', 'flagSets'],
];
const ranks = new Map(names.map((name, rank) => [name, rank]));
const rankOf = (name: string): number => ranks.get(name) ?? names.length;

export const inOneOrder = <Value extends Targeting | undefined>(targeting: Value): Value => ordered(targeting) as Value;

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => rankOf(one) - rankOf(other))
      .map(([name, member]) => [name, ordered(member)]),
  );
}
