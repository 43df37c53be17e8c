/** What the verifier says against the evaluator: whatever rules, segments, flags, keys and attributes there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Evaluable, type Evaluation, evaluatorOf, type Subject, type World } from '#domain/evaluation/evaluate.ts';
import { findingsOf, type Verified } from '#domain/evaluation/findings.ts';
import { type Chance, chanceOf } from '../support/chance.ts';
import { attributes, keys } from '../support/random-values.ts';
import { matcherOfType, rulesIn, sharesOf, subjectOf, worldOf } from '../support/random-worlds.ts';

/** A flag whose rules look at few things, so that they often take keys from each other. */
function crowded(chance: Chance, flag: Evaluable): Evaluable {
  const own = flag.rules.flatMap(({ condition }) => condition.matchers);
  const types = own.length > 0 ? own.map(({ type }) => type) : (['EQUAL_NUMBER'] as const);
  const [attribute] = chance.someOf(attributes, 1);
  const names = { flags: ['base', 'elsewhere'], segments: ['beta', 'none', 'none'] };
  const matcher = () => {
    const made = matcherOfType(chance, chance.oneOf(types), names);
    return made.attribute === undefined || attribute === undefined ? made : { ...made, attribute };
  };
  const chosen = flag.treatments.map(({ name }) => name);
  return {
    ...flag,
    killed: false,
    rules: chance.listOf(2, 6, () => ({
      buckets: sharesOf(chance, chosen),
      condition: { combiner: 'AND' as const, matchers: chance.listOf(1, 2, matcher) },
    })),
  };
}

/** The definition in its world, as the verifier is asked about it. */
const verified = (flag: Evaluable, world: World, staging?: Evaluable): Verified => ({
  name: flag.name,
  targeting: flag,
  seeds: flag,
  otherFlag: (name) => world.definitionOf(name) ?? 'notDefined',
  nobodyIn: (segment) => (segment === 'none' ? 'empty' : undefined),
  staging: staging && {
    here: 'production',
    environment: 'staging',
    definition: staging,
    areSeedsKnown: true,
    definitionOf: world.definitionOf,
  },
});

const ruleOf = ({ decidedBy }: Evaluation, { rules }: Evaluable): number | undefined =>
  decidedBy.kind === 'rule' ? decidedBy.index + 1 : decidedBy.kind === 'defaultRule' ? rules.length + 1 : undefined;

test('proven findings hold, and every example shows what it is for', () => {
  const counts = new Map<string, number>();
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  for (let number = 0; number < 500; number += 1) {
    const chance = chanceOf(number);
    const world = worldOf(number);
    const first = world.flags[0] ?? assert.fail();
    const flag = chance.odds(0.2) ? first : crowded(chance, first);
    const staging = chance.odds(0.5) ? { ...flag, defaultRule: flag.defaultRule.toReversed(), seed: number } : first;
    const findings = findingsOf(verified(flag, world, staging));
    const proven = findings.filter(({ isProven }) => isProven);
    const never = {
      rules: new Set(proven.flatMap(({ kind, rule }) => (/neverReached|prerequisite/.test(kind) ? rule : []))),
      treatments: new Set(proven.flatMap(({ kind, treatment }) => (kind === 'neverServed' ? treatment : []))),
    };
    const about = `world ${number}: ${JSON.stringify(flag.rules)}`;
    const evaluate = evaluatorOf(flag, world);
    const subjects: Subject[] = Array.from({ length: 30 }, () => subjectOf(chance, rulesIn([flag], [])));
    for (const subject of [...subjects, ...keys.map((key) => ({ key, attributes: world.subject.attributes }))]) {
      const evaluation = evaluate(subject);
      assert.ok(!never.rules.has(ruleOf(evaluation, flag)), `${about} ${JSON.stringify(subject)}`);
      assert.ok(!never.treatments.has(evaluation.treatment), `${about} ${JSON.stringify(subject)}`);
    }
    for (const { kind, isProven, rule = 0, treatment, example } of findings) {
      count(`${kind} ${isProven}`);
      if (!example) continue;
      count(`${kind} example`);
      const { key, attributes, segments } = example;
      const shown = { ...world, segmentRulesOf: () => undefined, listsKey: (name: string) => segments.includes(name) };
      const [here, there] = [flag, staging].map((one) => evaluatorOf(one, shown)({ key, attributes })) as [
        Evaluation,
        Evaluation,
      ];
      if (example.treatment !== undefined) assert.equal(here.treatment, example.treatment, about);
      if (kind !== 'looser') assert.notEqual(ruleOf(here, flag), rule, about);
      if (kind === 'looser')
        assert.deepEqual([here.treatment, there.treatment === treatment], [treatment, false], about);
      const met = flag.rules[rule - 1];
      if (kind === 'neverReached' && met) {
        const alone = { ...flag, killed: false, trafficAllocation: 100, rules: [met], treatments: [] };
        assert.equal(evaluatorOf(alone, shown)({ key, attributes }).decidedBy.kind, 'rule', about);
      }
    }
  }
  const least = ['neverReached true', 'neverReached false', 'prerequisite true', 'neverServed true', 'segment true'];
  const examples = ['neverReached example', 'prerequisite example', 'segment example', 'looser example'];
  for (const what of [...least, ...examples]) assert.ok((counts.get(what) ?? 0) > 5, JSON.stringify([...counts]));
});

test('the largest definition is verified in time', () => {
  const world = worldOf(1);
  const flag = world.flags[0] ?? assert.fail();
  const [buckets] = [flag.defaultRule];
  const rules = Array.from({ length: 3_000 }, (_, index) => ({
    buckets,
    condition: {
      combiner: 'AND' as const,
      matchers: [
        { type: 'GREATER_THAN_OR_EQUAL_NUMBER' as const, attribute: `a${index % 7}`, number: 3_000 - index },
        { type: 'STARTS_WITH_STRING' as const, strings: [`user-${index}`] },
      ],
    },
  }));
  const titles = [20, 3_000].map((count) => {
    const large = { ...flag, rules: rules.slice(0, count) };
    const start = process.threadCpuUsage();
    const found = findingsOf(verified(large, world, large));
    const { user, system } = process.threadCpuUsage(start);
    // Not on the clock: other tests run at the same time. The first run also compiles.
    assert.ok((user + system) / 1_000 < 250, `${count} rules took ${(user + system) / 1_000} ms`);
    return found.map(({ title }) => title);
  });
  assert.deepEqual(titles[1]?.[0], 'Not all rules could be checked');
});
