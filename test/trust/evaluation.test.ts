/** The evaluation equals that of the official SDKs: their engine and ours, side by side, on random input. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTargeting } from '#domain/definitions/definition.ts';
import { matcherTypes } from '#domain/definitions/matchers.ts';
import { type Evaluation, evaluatorOf, type RuleBasedMembership } from '#domain/evaluation/evaluate.ts';
import { checkSegmentRules } from '#domain/rule-based-segments.ts';
import { ruleBasedSegments } from '../support/random-values.ts';
import { type RandomWorld, worldOf } from '../support/random-worlds.ts';
import { evaluateBySdk, receivedOf } from '../support/sdk-engine.ts';

const worlds = 100_000;

const labelsOfKinds = { standard: 'segment', large: 'large segment', rule_based: 'rule based segment' };

/** What the SDKs report as the reason. */
function labelOf({ decidedBy }: Evaluation, { kindOf }: RandomWorld): string {
  switch (decidedBy.kind) {
    case 'killed':
      return 'killed';
    case 'targets':
      return `whitelisted${decidedBy.segment === undefined ? '' : ` ${labelsOfKinds[kindOf(decidedBy.segment)]}`}`;
    case 'allocation':
      return 'not in split';
    case 'rule':
      return `rule ${decidedBy.index}`;
    case 'defaultRule':
      return 'default rule';
    default:
      return 'definition not found';
  }
}

/** How often each case occurred, so that the agreement means something. */
const seen = new Map<string, number>();
const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);

function noteMembership({ isMember, ...reason }: RuleBasedMembership, depth = 'directly'): void {
  see(`${depth} ${isMember ? 'in' : 'not in'} a rule-based segment by ${reason.kind}`);
  if (reason.kind === 'excludedSegment') {
    if (reason.membership) noteMembership(reason.membership, 'as an exclusion');
    else see('excluded by a segment with keys');
  }
  for (const { membership, other } of reason.kind === 'rules' ? reason.rules.flat() : []) {
    if (membership) noteMembership(membership, 'nested');
    if (other) see(`a flag in a segment, decided by ${other.decidedBy.kind}`);
  }
}

function note({ flags: [flag], kindOf }: RandomWorld, evaluation: Evaluation): void {
  see(`decided by ${evaluation.decidedBy.kind}`);
  if (evaluation.decidedBy.kind === 'targets' && evaluation.decidedBy.membership)
    see('a target by a rule-based segment');
  if (evaluation.config !== undefined) see('a configuration');
  for (const step of evaluation.steps) {
    if (step.kind !== 'rule') continue;
    for (const [index, { holds, reading, other, membership }] of step.matchers.entries()) {
      const { type, negate, string = '' } = flag?.rules[step.index]?.condition.matchers[index] ?? assert.fail();
      see(`${type} ${negate ? 'negated ' : ''}${holds ? 'holds' : 'fails'}`);
      if (type === 'IN_SEGMENT') see(`a ${kindOf(string)} segment ${holds ? 'holds' : 'fails'}`);
      if (membership) noteMembership(membership);
      if (reading !== 'read') see(reading);
      if (other) see(`another flag, decided by ${other.decidedBy.kind}`);
    }
  }
}

test(`on ${worlds} random definitions, keys and attributes both engines say the same`, () => {
  for (let number = 0; number < worlds; number += 1) {
    const world = worldOf(number);
    const flag = world.flags[0] ?? assert.fail();
    const evaluation = evaluatorOf(flag, world)(world.subject);
    const { treatment, label, config } = evaluateBySdk(flag.name, world.subject, receivedOf(world));
    const ours = [evaluation.treatment, labelOf(evaluation, world), evaluation.config ?? null];
    if (ours.join('\n') !== [treatment, label, config].join('\n') || ours[2] !== config) {
      assert.deepEqual(ours, [treatment, label, config], JSON.stringify({ number, ...world }, null, 2));
    }
    note(world, evaluation);
    see(`${evaluation.decidedBy.kind} with algorithm ${flag.algo}`);
  }
});

test('and that was about every kind of step, every matcher both ways, what is missing and what cannot be read', () => {
  const kinds = ['killed', 'targets', 'allocation', 'rule', 'defaultRule'];
  const expected = [
    ...kinds.map((kind) => `decided by ${kind}`),
    ...[...kinds, 'notDefined'].map((kind) => `another flag, decided by ${kind}`),
    ...matcherTypes.flatMap((type) =>
      ['holds', 'fails', 'negated holds', 'negated fails'].map((how) => `${type} ${how}`),
    ),
    ...['standard', 'large', 'rule_based'].flatMap((kind) => [`a ${kind} segment holds`, `a ${kind} segment fails`]),
    ...['excludedKey', 'excludedSegment', 'rules'].flatMap((kind) =>
      ['directly', 'nested'].map((depth) => `${depth} not in a rule-based segment by ${kind}`),
    ),
    ...['directly', 'nested', 'as an exclusion'].map((depth) => `${depth} in a rule-based segment by rules`),
    ...[...kinds, 'notDefined'].map((kind) => `a flag in a segment, decided by ${kind}`),
    'excluded by a segment with keys',
    'a target by a rule-based segment',
    'a configuration',
    ...[1, 2].flatMap((algo) => ['allocation', 'rule', 'defaultRule'].map((kind) => `${kind} with algorithm ${algo}`)),
    'missing',
    'unreadable',
  ];
  const rare = expected.filter((what) => (seen.get(what) ?? 0) < worlds / 2000);
  assert.deepEqual(
    rare.map((what) => `${what}: ${seen.get(what) ?? 0}`),
    [],
  );
});

test('and about definitions that the server accepts', () => {
  for (let number = 0; number < worlds; number += 97) {
    const { flags, segmentRulesOf } = worldOf(number);
    const existingFlags = new Set(['first', 'second', 'third', 'base', 'elsewhere']);
    for (const flag of flags) {
      assert.deepEqual(checkTargeting(flag, { flag: flag.name, existingFlags, dependentFlags: new Set() }), []);
    }
    for (const rules of ruleBasedSegments.flatMap((name) => segmentRulesOf(name) ?? [])) {
      assert.deepEqual(checkSegmentRules(rules, existingFlags), []);
    }
  }
});
