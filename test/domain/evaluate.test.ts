/** What an evaluation says besides the treatment. `test/trust/evaluation.test.ts` checks that it is right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOf } from '#domain/bucketing.ts';
import type { Matcher } from '#domain/definitions/matchers.ts';
import { type Evaluable, evaluatorOf, parseKey, type World } from '#domain/evaluation/evaluate.ts';
import { matchesPattern } from '#domain/evaluation/match.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';

const nowhere: World = {
  definitionOf: () => undefined,
  listsKey: () => false,
  segmentRulesOf: () => undefined,
  matches: matchesPattern,
};

const flag = (changes: Partial<Evaluable> = {}): Evaluable => ({
  name: 'flag',
  killed: false,
  treatments: [{ name: 'on', configurations: '{"colour":"blue"}' }, { name: 'off' }],
  defaultTreatment: 'off',
  baselineTreatment: 'off',
  trafficAllocation: 100,
  rules: [],
  impressionsDisabled: false,
  defaultRule: [
    { treatment: 'on', size: 100 },
    { treatment: 'off', size: 0 },
  ],
  seed: 7,
  trafficAllocationSeed: -7,
  algo: 2,
  ...changes,
});

const rule = (...matchers: Matcher[]): Evaluable['rules'][number] => ({
  condition: { combiner: 'AND', matchers },
  buckets: [{ treatment: 'off', size: 100 }],
});

const seenBy = (definition: Evaluable, key = 'ana', attributes = {}, world = nowhere) =>
  evaluatorOf(definition, world)({ key, attributes });

test('a killed flag looks at nothing else', () => {
  const { treatment, config, steps, decidedBy } = seenBy(flag({ killed: true, rules: [rule()] }));
  assert.deepEqual([treatment, config, steps], ['off', undefined, [{ kind: 'killed' }]]);
  assert.equal(decidedBy, steps[0]);
});

test('the steps are told in their order up to the one that decides, which is also named', () => {
  const inList: Matcher = { type: 'IN_LIST_STRING', strings: ['liu'] };
  const definition = flag({ trafficAllocation: 99, rules: [rule(inList)] });
  const { treatment, config, steps, decidedBy } = seenBy(definition);
  assert.deepEqual([treatment, config], ['on', '{"colour":"blue"}']);
  assert.deepEqual(steps, [
    { kind: 'killed' },
    { kind: 'targets' },
    { kind: 'allocation', bucket: bucketOf('ana', -7, 2) },
    { kind: 'rule', index: 0, matchers: [{ holds: false, value: 'ana', reading: 'read' }] },
    { kind: 'defaultRule', bucket: bucketOf('ana', 7, 2) },
  ]);
  assert.equal(decidedBy, steps.at(-1));
});

test('individual targets decide by the key, or by a segment, which is named then', () => {
  const targets = flag({
    treatments: [
      { name: 'on', keys: ['ana'] },
      { name: 'off', segments: ['none', 'staff'] },
    ],
    trafficAllocation: 0,
  });
  const world = { ...nowhere, listsKey: (segment: string) => segment === 'staff' };
  assert.deepEqual(seenBy(targets, 'ana', {}, world).decidedBy, { kind: 'targets' });
  const { treatment, decidedBy } = seenBy(targets, 'liu', {}, world);
  assert.deepEqual([treatment, decidedBy], ['off', { kind: 'targets', segment: 'staff' }]);
});

test('keys outside the traffic allocation get the default treatment', () => {
  const { treatment, decidedBy } = seenBy(flag({ trafficAllocation: 0 }));
  assert.deepEqual([treatment, decidedBy], ['off', { kind: 'allocation', bucket: bucketOf('ana', -7, 2) }]);
});

test('a rule tells of each of its matchers what it looked at and how that turned out', () => {
  const attribute = 'age';
  const definition = flag({
    rules: [
      rule({ type: 'EQUAL_NUMBER', attribute, number: 5 }),
      rule(
        { type: 'GREATER_THAN_OR_EQUAL_NUMBER', attribute, number: 5 },
        { type: 'BOOLEAN', attribute: 'paid', bool: true, negate: true },
        { type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'], negate: true },
      ),
    ],
  });
  const { steps, decidedBy } = seenBy(definition, 'ana', { age: '6', paid: 'perhaps' });
  assert.deepEqual(steps[3], { kind: 'rule', index: 0, matchers: [{ holds: false, value: '6', reading: 'read' }] });
  assert.deepEqual(decidedBy, {
    kind: 'rule',
    index: 1,
    matchers: [
      { holds: true, value: '6', reading: 'read' },
      { holds: true, value: 'perhaps', reading: 'unreadable' },
      { holds: true, value: undefined, reading: 'missing' },
    ],
    bucket: bucketOf('ana', 7, 2),
  });
});

test('inherited members of objects are not attributes', () => {
  const definition = flag({ rules: [rule({ type: 'CONTAINS_STRING', attribute: 'constructor', strings: [''] })] });
  assert.equal(seenBy(definition).decidedBy.kind, 'defaultRule');
});

const dependsOn = (splitName: string, ...treatments: string[]): Matcher => ({
  type: 'IN_SPLIT',
  depends: { splitName, treatments },
});

test('a dependency tells what is seen of the other flag, and why', () => {
  const world = { ...nowhere, definitionOf: (name: string) => (name === 'base' ? flag({ name: 'base' }) : undefined) };
  const definition = flag({ rules: [rule(dependsOn('base', 'off')), rule(dependsOn('absent', 'control'))] });
  const [first, second] = seenBy(definition, 'ana', {}, world).steps.flatMap((step) =>
    step.kind === 'rule' ? step.matchers : [],
  );
  assert.deepEqual([first?.holds, first?.other?.treatment, first?.other?.decidedBy.kind], [false, 'on', 'defaultRule']);
  assert.deepEqual([second?.holds, second?.other?.treatment], [true, 'control']);
  assert.deepEqual(second?.other?.steps, [{ kind: 'notDefined' }]);
});

test('a circle of dependencies, as a draft may have it, ends and is told', () => {
  const there = flag({ name: 'there', rules: [rule(dependsOn('flag', 'control'))] });
  const world = { ...nowhere, definitionOf: (name: string) => (name === 'there' ? there : undefined) };
  const { treatment, decidedBy } = seenBy(flag({ rules: [rule(dependsOn('there', 'off'))] }), 'ana', {}, world);
  assert.equal(treatment, 'off');
  const [matcher] = decidedBy.kind === 'rule' ? decidedBy.matchers : [];
  const inner = matcher?.other?.decidedBy;
  assert.deepEqual(inner?.kind === 'rule' && inner.matchers[0]?.other?.decidedBy, { kind: 'circle' });
});

test('each flag is evaluated once for a subject, however many rules ask for it', () => {
  const layers = 30;
  const definitionOf = (name: string) => {
    const next = String(Number(name) + 1);
    return Number(name) > layers
      ? undefined
      : flag({ name, rules: [rule(dependsOn(next, 'x'), dependsOn(next, 'y'))] });
  };
  assert.equal(
    seenBy(flag({ rules: [rule(dependsOn('1', 'x'))] }), 'ana', {}, { ...nowhere, definitionOf }).treatment,
    'on',
  );
});

const inSegment = (string: string, negate = false): Matcher => ({
  type: 'IN_SEGMENT',
  string,
  ...(negate ? { negate } : {}),
});
const members = (...rules: Matcher[][]): SegmentRules => ({
  rules: rules.map((matchers) => ({ condition: { combiner: 'AND', matchers } })),
  excludedKeys: [],
  excludedSegments: [],
});
const worldWith = (segments: Record<string, SegmentRules>): World => ({
  ...nowhere,
  listsKey: (segment, key) => segment === 'staff' && key === 'ana',
  segmentRulesOf: (name) => segments[name],
});
/** Why the key is in the segment `pros`, or why not. */
const membershipOf = (segments: Record<string, SegmentRules>, key: string, attributes = {}) => {
  const [step] = seenBy(flag({ rules: [rule(inSegment('pros'))] }), key, attributes, worldWith(segments)).steps.slice(
    3,
  );
  return step?.kind === 'rule' ? step.matchers[0]?.membership : assert.fail();
};
const plan: Matcher = { type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'] };

test('a rule-based segment tells which of its rules took the key, and of the others why they did not', () => {
  const pros = members([inSegment('staff')], [plan]);
  const missing = { holds: false, value: undefined, reading: 'missing' };
  assert.deepEqual(membershipOf({ pros }, 'ana'), {
    isMember: true,
    kind: 'rules',
    rules: [[{ holds: true, value: 'ana', reading: 'read' }]],
  });
  assert.deepEqual(membershipOf({ pros }, 'liu'), {
    isMember: false,
    kind: 'rules',
    rules: [[{ holds: false, value: 'liu', reading: 'read' }], [missing]],
  });
});

test('an exclusion comes before the rules and is told, with its own reason if it has one', () => {
  const everyone = members([plan, inSegment('staff', true)], [inSegment('staff')]);
  const pros = { ...members([plan]), excludedKeys: ['liu'] };
  assert.deepEqual(membershipOf({ pros }, 'liu', { plan: 'pro' }), { isMember: false, kind: 'excludedKey' });
  const type = 'rule_based_segment' as const;
  assert.deepEqual(membershipOf({ pros: { ...pros, excludedSegments: [{ name: 'staff', type }] } }, 'ana'), {
    isMember: false,
    kind: 'excludedSegment',
    segment: 'staff',
  });
  const excluding = { ...pros, excludedSegments: [{ name: 'everyone', type }] };
  const found = membershipOf({ pros: excluding, everyone }, 'ana');
  assert.deepEqual(found?.kind === 'excludedSegment' && [found.segment, found.membership?.kind], ['everyone', 'rules']);
});

test('a target by a rule-based segment tells why the key is in it', () => {
  const targets = flag({ treatments: [{ name: 'on', segments: ['none', 'pros'] }, { name: 'off' }] });
  const { decidedBy } = seenBy(targets, 'ana', { plan: 'pro' }, worldWith({ pros: members([plan]) }));
  assert.deepEqual(decidedBy, {
    kind: 'targets',
    segment: 'pros',
    membership: { isMember: true, kind: 'rules', rules: [[{ holds: true, value: 'pro', reading: 'read' }]] },
  });
});

test('a segment without rules, and one that is not active, is empty', () => {
  assert.deepEqual(membershipOf({ pros: members() }, 'ana'), { isMember: false, kind: 'rules', rules: [] });
  assert.equal(membershipOf({}, 'ana'), undefined);
});

test('a circle of segments, or of segments and flags, ends and is told', () => {
  const round = { pros: members([inSegment('guests')]), guests: members([inSegment('pros', true)]) };
  const outer = membershipOf(round, 'ana');
  const inner = outer?.kind === 'rules' ? outer.rules[0]?.[0]?.membership : undefined;
  assert.deepEqual(inner?.kind === 'rules' && inner.rules[0]?.[0]?.membership, { isMember: false, kind: 'circle' });
  const own = { ...members([plan]), excludedSegments: [{ name: 'pros', type: 'rule_based_segment' as const }] };
  assert.equal(membershipOf({ pros: own }, 'ana', { plan: 'pro' })?.isMember, true);
  const asking = membershipOf({ pros: members([dependsOn('flag', 'control')]) }, 'ana');
  const asked = asking?.kind === 'rules' ? asking.rules[0]?.[0]?.other?.decidedBy : undefined;
  assert.deepEqual(asked, { kind: 'circle' });
});

test('each segment is looked at once for a subject, however many rules name it', () => {
  const segmentRulesOf = (name: string) => {
    const next = inSegment(String(Number(name) + 1));
    return Number(name) > 30 ? undefined : members([next, next], [next, next]);
  };
  const definition = flag({ rules: [rule(inSegment('1'))] });
  assert.equal(seenBy(definition, 'ana', {}, { ...nowhere, segmentRulesOf }).treatment, 'on');
});

test('a key is taken as the SDKs take it: trimmed, 1 to 250 characters', () => {
  assert.deepEqual(['ana', '  ana\n', '', '  ', 'x'.repeat(250), 'x'.repeat(251)].map(parseKey), [
    'ana',
    'ana',
    undefined,
    undefined,
    'x'.repeat(250),
    undefined,
  ]);
});
