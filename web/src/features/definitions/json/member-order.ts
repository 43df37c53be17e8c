/** One order of members for definitions that people read as JSON: that of the API, however a draft came about. */
import type { Targeting } from '#domain/definitions/definition.ts';

/** Of all objects of a definition together: no two of them disagree. */
const names = [
  ...['killed', 'splitName', 'treatments', 'name', 'description', 'configurations', 'keys', 'segments'],
  ...['defaultTreatment', 'baselineTreatment', 'trafficAllocation', 'rules', 'buckets', 'treatment', 'size'],
  ...['condition', 'combiner', 'matchers', 'negate', 'type', 'attribute', 'string', 'strings', 'number', 'date'],
  ...['between', 'from', 'to', 'bool', 'depends', 'defaultRule', 'impressionsDisabled'],
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
