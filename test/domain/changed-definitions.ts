/** Targetings at random, and pairs of which one is the other after a few edits. */
import fc from 'fast-check';
import type { Bucket, Rule, Targeting } from '#domain/definitions/definition.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { bodyWith } from './valid-definitions.ts';

export const targeting: fc.Arbitrary<Targeting> = bodyWith(0).map((body) => parseTargeting(body));

/** Of few names and keys and without texts, so that two of them often have treatments of one name, or differ only in it. */
export const narrowTargeting: fc.Arbitrary<Targeting> = bodyWith(0, {
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  key: fc.constantFrom('k', 'l', 'm', 'n'),
}).map((body) => {
  const { treatments, ...rest } = parseTargeting(body);
  return { ...rest, treatments: treatments.map(({ name, keys }) => ({ name, ...(keys ? { keys } : {}) })) };
});

/** What happens to a list: some items go, the rest may change places. */
const someOf = <Item>(items: Item[]): fc.Arbitrary<Item[]> =>
  fc.oneof(fc.constant(items), fc.subarray(items), fc.shuffledSubarray(items));

/** Rules may also come again, since nothing keeps two from being equal. */
const someRulesOf = (rules: Rule[]): fc.Arbitrary<Rule[]> =>
  fc.oneof({ weight: 3, arbitrary: someOf(rules) }, fc.array(fc.constantFrom(...rules), { maxLength: 4 }));

/** The same definition after a few edits, so that most of it stays. */
export const changedTargeting: fc.Arbitrary<{ before: Targeting; after: Targeting }> = fc
  .tuple(bodyWith(1), bodyWith(1), fc.constantFrom('keep', 'change'), fc.nat(100))
  .chain(([body, otherBody, fate, share]) => {
    const before = parseTargeting(body);
    const other = parseTargeting(otherBody);
    const first = before.treatments[0]?.name ?? '';
    const named = (rule: Rule): Rule => ({ ...rule, buckets: [{ treatment: first, size: 100 }] });
    return fc
      .record({ rules: someRulesOf(before.rules), at: fc.nat(3), keys: someOf(before.treatments[0]?.keys ?? []) })
      .map(({ rules, at, keys }) => {
        const grown = fate === 'keep' ? rules : rules.toSpliced(at, 0, ...other.rules.slice(0, 1).map(named));
        const treatments = before.treatments.map((treatment, index) =>
          index === 0 ? { ...treatment, keys: [...keys, 'one-more-key'] } : treatment,
        );
        const defaultRule = fate === 'keep' ? before.defaultRule : resized(before.defaultRule, share);
        return { before, after: { ...before, rules: grown, treatments, defaultRule } };
      });
  });

/** The first bucket gets the share and the last the rest. */
function resized(buckets: readonly Bucket[], share: number): Bucket[] {
  const last = buckets.length - 1;
  if (last === 0) return [...buckets];
  return buckets.map((bucket, index) => ({ ...bucket, size: index === 0 ? share : index === last ? 100 - share : 0 }));
}
