/** The effect of an edit against brute force: every cell of the buckets, evaluated key by key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOf } from '#domain/bucketing.ts';
import type { Rule, Targeting } from '#domain/definitions/definition.ts';
import { matcherKindOf } from '#domain/definitions/matchers.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { type Effect, effectOf, isHarmless, movesIn } from '#domain/evaluation/effects.ts';
import { type Evaluable, evaluatorOf, type Subject, type World } from '#domain/evaluation/evaluate.ts';
import { matchesPattern } from '#domain/evaluation/match.ts';
import { aDefinition } from '../support/build.ts';
import { type Chance, chanceOf } from '../support/chance.ts';
import { keys as someKeys } from '../support/random-values.ts';
import { worldOf } from '../support/random-worlds.ts';

const seeds = { seed: -42, trafficAllocationSeed: 42, algo: 2 } as const;

/** One key for each pair of buckets: what a share of the cells is, is a share of all keys. */
const cellKeys = (() => {
  const found = new Map<number, string>();
  for (let index = 0; found.size < 10_000; index += 1) {
    const key = `cell ${index}`;
    const cell = bucketOf(key, seeds.seed, 2) * 101 + bucketOf(key, seeds.trafficAllocationSeed, 2);
    if (!found.has(cell)) found.set(cell, key);
  }
  return [...found.values()];
})();

const split = (treatments: Record<string, number>) =>
  Object.entries(treatments).map(([treatment, size]) => ({ treatment, size }));

const definition = (changes: Record<string, unknown> = {}): Targeting => parseTargeting(aDefinition(changes));

const ruleOn = (matcher: Record<string, unknown>, shares: Record<string, number>) => ({
  buckets: split(shares),
  condition: { combiner: 'AND', matchers: [matcher] },
});
const cartValue = { type: 'GREATER_THAN_OR_EQUAL_NUMBER', attribute: 'cart_value', number: 50 };
const plan = { type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'] };

const effect = (before: Targeting | undefined, after: Targeting | undefined, others = {}): Effect =>
  effectOf({ before, after, seeds, otherFlag: (name) => (others as Record<string, Targeting>)[name] ?? 'notDefined' });

const waysIn = (flows: readonly { from: string; to: string; share: number }[]) =>
  flows.map(({ from, to, share }) => `${from} → ${to} ${share}`).sort();

test('the traffic allocation and the shares of everyone else make one net effect, with its directions', () => {
  const before = definition({ trafficAllocation: 100, defaultRule: split({ on: 80, off: 20 }) });
  const after = definition({ trafficAllocation: 60, defaultRule: split({ on: 100, off: 0 }) });
  const { shares, groups, unknowns } = effect(before, after);
  assert.deepEqual(shares, [
    { treatment: 'on', before: { min: 80, max: 80 }, after: { min: 60, max: 60 } },
    { treatment: 'off', before: { min: 20, max: 20 }, after: { min: 40, max: 40 } },
  ]);
  assert.equal(groups.length, 1);
  assert.deepEqual(waysIn(groups[0]?.flows ?? []), ['off → off 8', 'off → on 12', 'on → off 32', 'on → on 48']);
  assert.deepEqual(unknowns, []);
});

test('removing a rule on an attribute is never called harmless, and the attribute is named', () => {
  const rest = { defaultRule: split({ on: 10, off: 90 }) };
  const before = definition({ ...rest, rules: [ruleOn(plan, { on: 10, off: 90 }), ruleOn(cartValue, { on: 100 })] });
  const after = definition({ ...rest, rules: [ruleOn(plan, { on: 10, off: 90 })] });
  const found = effect(before, after);
  assert.ok(!isHarmless(found));
  assert.deepEqual(found.shares[0], {
    treatment: 'on',
    before: { min: 10, max: 100 },
    after: { min: 10, max: 10 },
  });
  assert.deepEqual(found.unknowns, [
    { side: 'before', step: { kind: 'rule', index: 1 }, asksFor: [{ kind: 'attribute', name: 'cart_value' }] },
    { side: 'after', step: { kind: 'rule', index: 0 }, asksFor: [{ kind: 'attribute', name: 'plan' }] },
  ]);
  const moving = found.groups.filter(({ flows }) => movesIn(flows).length > 0);
  assert.deepEqual(
    moving.map(({ before: was, after: is, flows }) => ({ was, is, moves: waysIn(movesIn(flows)) })),
    [{ was: { kind: 'rule', index: 1 }, is: { kind: 'rest' }, moves: ['on → off 90'] }],
  );
});

test('a rule on what keys look like is not known: no expression is run', () => {
  const slow = { type: 'MATCHES_STRING', string: '^(?:.?){200}x$' };
  const [before, after] = [slow, plan].map((matcher) => definition({ rules: [ruleOn(matcher, { on: 100 })] }));
  const found = effect(before, after);
  assert.ok(!isHarmless(found));
  assert.deepEqual(
    found.unknowns.map(({ asksFor }) => asksFor[0]),
    [{ kind: 'key' }, { kind: 'attribute', name: 'plan' }],
  );
});

test('a change that affects no key is harmless: rules that stay, whatever they match', () => {
  const before = definition({ rules: [ruleOn(cartValue, { on: 50, off: 50 })] });
  const after = { ...before, treatments: before.treatments.map((one) => ({ ...one, description: 'new' })) };
  assert.ok(isHarmless(effect(before, after)));
  assert.ok(!isHarmless(effect(before, { ...after, killed: true })));
});

test('a rule that is never reached changes nothing', () => {
  const rules = [ruleOn(plan, { on: 100 })];
  const narrower = { buckets: split({ off: 100 }), condition: { combiner: 'AND', matchers: [plan, cartValue] } };
  assert.ok(isHarmless(effect(definition({ rules }), definition({ rules: [...rules, narrower] }))));
  assert.ok(!isHarmless(effect(definition({ rules }), definition({ rules: [narrower, ...rules] }))));
});

test('keys that are named one by one are compared one by one, not as a share', () => {
  const inList = { type: 'IN_LIST_STRING', strings: ['ana', 'liu', 'omar'] };
  const before = definition();
  const listed = effect(before, definition({ rules: [ruleOn(inList, { on: 100 })] }));
  assert.deepEqual(listed.named, { count: 3, moves: [{ from: 'off', to: 'on', keys: 3 }], unknown: 0, notCompared: 0 });
  assert.equal(listed.groups.length, 1);
  assert.deepEqual(movesIn(listed.groups[0]?.flows ?? []), []);
  const targeted = definition({ treatments: [{ name: 'on', keys: ['ana'] }, { name: 'off' }] });
  assert.deepEqual(effect(targeted, targeted).named, { count: 1, moves: [], unknown: 0, notCompared: 0 });
  assert.deepEqual(effect(targeted, { ...targeted, killed: true }).named.moves, [{ from: 'on', to: 'off', keys: 1 }]);
  const asked = definition({ rules: [ruleOn(plan, { on: 100 })] });
  assert.deepEqual(effect(targeted, asked).named, { count: 1, moves: [], unknown: 1, notCompared: 0 });
});

test('another flag is known where it gives everybody one treatment, and named where it does not', () => {
  const depends = { type: 'IN_SPLIT', depends: { splitName: 'other', treatments: ['on'] } };
  const [before, after] = [definition(), definition({ rules: [ruleOn(depends, { on: 100 })] })];
  const all = definition({ defaultRule: split({ on: 100 }) });
  assert.equal(effect(before, after, { other: all }).shares[0]?.after.min, 100);
  assert.ok(isHarmless(effect(before, after, { other: definition() })));
  assert.ok(isHarmless(effect(before, after)), 'where it is not defined it is control');
  for (const other of [definition({ defaultRule: split({ on: 50, off: 50 }) }), undefined]) {
    const found = effectOf({ before, after, seeds, otherFlag: () => other });
    assert.deepEqual(found.shares[0]?.after, { min: 0, max: 100 });
    assert.deepEqual(found.unknowns[0]?.asksFor, [{ kind: 'flag', name: 'other' }]);
  }
});

test('a flag that is not defined gives control', () => {
  const found = effectOf({
    before: undefined,
    after: definition({ trafficAllocation: 50, defaultRule: split({ on: 50, off: 50 }) }),
    seeds: undefined,
    otherFlag: () => undefined,
  });
  assert.deepEqual(waysIn(found.groups[0]?.flows ?? []), ['control → off 75', 'control → on 25']);
});

test('both buckets are one where both seeds are one', () => {
  const half = { trafficAllocation: 50, defaultRule: split({ on: 50, off: 50 }) };
  const found = effectOf({
    before: undefined,
    after: definition(half),
    seeds: { seed: 7, trafficAllocationSeed: 7, algo: 2 },
    otherFlag: () => undefined,
  });
  assert.deepEqual(waysIn(found.groups[0]?.flows ?? []), ['control → off 50', 'control → on 50']);
});

/** The definition after a few edits. */
function edited(chance: Chance, before: Evaluable, other: Evaluable): Evaluable {
  const foreign = other.rules.map(
    (rule): Rule => ({ ...rule, buckets: before.rules[0]?.buckets ?? before.defaultRule }),
  );
  const rules = chance.odds(0.5) ? before.rules : chance.someOf([...before.rules, ...foreign], 4);
  return {
    ...before,
    killed: before.killed !== chance.odds(0.1),
    trafficAllocation: chance.odds(0.5) ? before.trafficAllocation : chance.integer(0, 100),
    rules: [...rules],
    defaultRule: chance.odds(0.5) ? before.defaultRule : before.defaultRule.toReversed(),
    treatments: chance.odds(0.7)
      ? before.treatments
      : before.treatments.map((treatment) => ({ ...treatment, keys: [] })),
  };
}

const targetingIn = (world: World) => (name: string) => world.definitionOf(name) ?? ('notDefined' as const);

const pairFor = (sides: readonly Evaluable[], world: World, subject: Subject) =>
  sides.map((side) => evaluatorOf(side, world)(subject).treatment) as [string, string];

/** The keys that the definitions name, and the flags that they ask for do. What is killed asks for nothing. */
function namedIn(targetings: readonly Targeting[], world: World): Set<string> {
  const asked = new Set(targetings);
  const named = new Set<string>();
  for (const { killed, treatments, rules } of asked) {
    for (const { keys = [] } of treatments) for (const key of keys) named.add(key);
    for (const { type, attribute, strings = [], depends } of killed
      ? []
      : rules.flatMap((rule) => rule.condition.matchers)) {
      if (type === 'IN_LIST_STRING' && attribute === undefined) for (const key of strings) named.add(key);
      const other = depends && world.definitionOf(depends.splitName);
      if (other) asked.add(other);
    }
  }
  return named;
}

test('if all keys meet the same rules, the real outcome is one of the groups, to a hundredth of a percent', () => {
  let several = 0;
  for (let number = 0; number < 60; number += 1) {
    const chance = chanceOf(number);
    const [random, other] = [worldOf(number * 2), worldOf(number * 2 + 1)];
    // Nothing but the buckets depends on the key: segments take all or nobody, texts look at attributes, flags are killed.
    const evenly = (flag: Evaluable): Evaluable => ({
      ...flag,
      ...seeds,
      rules: flag.rules.map((rule) => ({
        ...rule,
        condition: {
          ...rule.condition,
          matchers: rule.condition.matchers.map((matcher) =>
            matcherKindOf(matcher.type).attribute === 'optional' ? { ...matcher, attribute: 'plan' } : matcher,
          ),
        },
      })),
    });
    const killed = new Map(random.flags.slice(1).map((flag) => [flag.name, { ...flag, killed: true }]));
    const full = chance.odds(0.5);
    const world: World = {
      definitionOf: (name) => killed.get(name),
      listsKey: () => full,
      segmentRulesOf: () => undefined,
      matches: matchesPattern,
    };
    const before = evenly(random.flags[0] ?? assert.fail());
    const after = edited(chance, before, evenly(other.flags[0] ?? assert.fail()));
    const { groups, shares } = effectOf({ before, after, seeds, otherFlag: targetingIn(world) });
    if (groups.length > 1) several += 1;
    const evaluators = [before, after].map((side) => evaluatorOf(side, world));
    const counts = new Map<string, number>();
    for (const key of cellKeys) {
      const subject = { key, attributes: random.subject.attributes };
      const way = evaluators.map((evaluate) => evaluate(subject).treatment).join(' → ');
      counts.set(way, (counts.get(way) ?? 0) + 1);
    }
    const real = [...counts].map(([way, count]) => `${way} ${count / 100}`).sort();
    assert.ok(
      groups.some(({ flows }) => waysIn(flows).join() === real.join()),
      `world ${number}: ${real} is none of ${JSON.stringify(groups.map(({ flows }) => waysIn(flows)))}`,
    );
    for (const { treatment, before: was, after: is } of shares) {
      for (const [range, side] of [
        [was, 0],
        [is, 1],
      ] as const) {
        const share =
          [...counts].reduce((sum, [way, n]) => sum + (way.split(' → ')[side] === treatment ? n : 0), 0) / 100;
        assert.ok(range.min <= share && share <= range.max, `world ${number}: ${treatment} ${share}`);
      }
    }
  }
  assert.ok(several > 20, `only ${several} worlds had rules`);
});

test('no key ever goes a way that was not told, whatever rules, segments, flags and keys there are', () => {
  let [harmless, named] = [0, 0];
  for (let number = 0; number < 1_000; number += 1) {
    const chance = chanceOf(number);
    const [world, other] = [worldOf(number), worldOf(number + 1)];
    const before = world.flags[0] ?? assert.fail();
    const after = edited(chance, before, other.flags[0] ?? assert.fail());
    const { seed, trafficAllocationSeed, algo } = before;
    const found = effectOf({
      before,
      after,
      seeds: { seed, trafficAllocationSeed, algo },
      otherFlag: targetingIn(world),
    });
    const listed = namedIn([before, after], world);
    const ways = new Set(found.groups.flatMap(({ flows }) => flows.map(({ from, to }) => `${from} → ${to}`)));
    const counts = new Map<string, number>();
    if (isHarmless(found)) harmless += 1;
    for (const key of new Set([...someKeys, ...listed, world.subject.key])) {
      const [from, to] = pairFor([before, after], world, { key, attributes: world.subject.attributes });
      assert.ok(from === to || !isHarmless(found), `world ${number}: ${key} goes from ${from} to ${to}`);
      if (!listed.has(key)) assert.ok(ways.has(`${from} → ${to}`), `world ${number}: ${key} ${from} → ${to}`);
      else if (from !== to) counts.set(`${from} → ${to}`, (counts.get(`${from} → ${to}`) ?? 0) + 1);
    }
    const { moves, unknown, notCompared } = found.named;
    assert.equal(notCompared, 0);
    named += moves.length;
    for (const { from, to, keys } of moves) assert.ok((counts.get(`${from} → ${to}`) ?? 0) >= keys, `world ${number}`);
    const certain = moves.reduce((sum, { keys }) => sum + keys, 0);
    const moved = [...counts.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(moved <= certain + unknown, `world ${number}: ${moved} named keys move, ${certain} and ${unknown} told`);
  }
  assert.ok(harmless > 50 && named > 50, `${harmless} harmless, ${named} moves of named keys`);
});

test('however large a definition is, its effect is found in time or reported as unknown', () => {
  const shares = (index: number) => ({ on: index % 101, off: 100 - (index % 101) });
  const rules = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) =>
      ruleOn({ ...cartValue, number: from + index }, shares(from * 7 + index)),
    );
  const keys = Array.from({ length: 50_000 }, (_, index) => `key-${index}`);
  const withKeys = definition({ treatments: [{ name: 'on', keys }, { name: 'off' }] });
  const [huge, other] = [rules(3_000), rules(3_000, 1)].map((many) => definition({ rules: many }));
  const [large, replaced] = [rules(90), rules(90, 200)].map((many) => definition({ rules: many }));
  const start = performance.now();
  assert.deepEqual(effect(huge, other).groups, []);
  assert.deepEqual(effect(large, replaced).groups, []);
  assert.equal(effect(large, large).groups.length, 91);
  const killed = effect(withKeys, { ...withKeys, killed: true });
  assert.equal(killed.named.notCompared, 50_000);
  assert.ok(!isHarmless(killed));
  assert.deepEqual(effect(withKeys, { ...withKeys, trafficAllocation: 5 }).named.notCompared, 0);
  const took = performance.now() - start;
  assert.ok(took < 1_000, `${took} ms`);
});
