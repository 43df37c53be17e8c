/**
 * What SDKs receive means what was sent to the Admin API: random definitions are saved through it, translated, and evaluated
 * by the engine of the official SDK and by ours.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStored } from '#domain/definitions/definition.ts';
import { matcherTypes } from '#domain/definitions/matchers.ts';
import { type Evaluation, evaluatorOf, type World } from '#domain/evaluation/evaluate.ts';
import { matchesPattern } from '#domain/evaluation/match.ts';
import { rulesTextOf, type SegmentRules } from '#domain/rule-based-segments.ts';
import { toWireFlag, type WireFlag } from '#domain/wire/flags.ts';
import { toWireSegment, type WireSegment } from '#domain/wire/segments.ts';
import { findStoredDefinition, type SeededDefinition } from '#store/definitions.ts';
import { listStoredRules } from '#store/rule-based-segments.ts';
import { startApi } from '../support/app.ts';
import { aFlag, aLargeSegment, aProject, aRuleBasedSegment, aSegment } from '../support/build.ts';
import { chanceOf } from '../support/chance.ts';
import { keys, largeSegments, ruleBasedSegments, standardSegments } from '../support/random-values.ts';
import { rulesIn, subjectOf, worldOf } from '../support/random-worlds.ts';
import { evaluateBySdk, type Received } from '../support/sdk-engine.ts';
import { report, sized } from '../support/trust.ts';

/** Each has a definition of up to four flags and of three rule-based segments. */
const worlds = sized({ short: 60, long: 2_000 });
const subjects = sized({ short: 200, long: 500 });

const api = await startApi();
const project = await aProject(api);
const { staging } = project;
const flagNames = ['first', 'second', 'third', 'base', 'elsewhere'];
const flags = new Map<string, { id: string; isDefined: boolean }>();
for (const name of flagNames) flags.set(name, { id: (await aFlag(api, project, name)).id, isDefined: false });

/** Keys as a segment can list them, different ones in each. */
const listable = keys.filter((key) => key.trim() === key && key.isWellFormed() && !key.includes('\0'));
const members = new Map<string, ReadonlySet<string>>();
for (const [index, name] of [...standardSegments, ...largeSegments].entries()) {
  members.set(name, new Set(listable.filter((_, at) => at % (index + 2) === 0)));
}
for (const name of standardSegments) {
  await aSegment(api, project, [staging], name);
  const answer = await api.put(`/segments/${staging.id}/${name}/uploadKeys`, { keys: [...(members.get(name) ?? [])] });
  assert.equal(answer.status, 200, answer.text);
}
for (const name of largeSegments) {
  await aLargeSegment(api, project, [staging], name);
  const request = { largeSegment: { name }, operationType: 'UPLOAD' };
  const { body } = await api.post(`/changeRequests/ws/${project.id}/environments/${staging.id}`, request);
  const file = [...(members.get(name) ?? [])].map((key) => `"${key.replaceAll('"', '""')}"`).join('\n');
  const answer = await api.put(new URL(body.transactionMetadata.url).pathname, undefined, { as: null, text: file });
  assert.equal(answer.status, 200, answer.text);
}
/** The last name is that of a segment that is not active. */
const activeRules = ruleBasedSegments.slice(0, -1);
for (const name of activeRules) await aRuleBasedSegment(api, project, [staging], name);

const listsKey: World['listsKey'] = (segment, key) => members.get(segment)?.has(key) ?? false;
const kindOf = (name: string) =>
  standardSegments.includes(name)
    ? ('standard' as const)
    : largeSegments.includes(name)
      ? ('large' as const)
      : activeRules.includes(name)
        ? ('rule_based' as const)
        : undefined;

/** The Admin API refuses texts with NUL or half a surrogate pair. */
const sendable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, part) =>
    typeof part === 'string' ? part.replaceAll('\0', 'NUL').toWellFormed() : part,
  );

async function save(number: number): Promise<void> {
  const world = worldOf(number);
  for (const { name, seed, trafficAllocationSeed, algo, ...targeting } of world.flags.toReversed()) {
    const path = `/splits/ws/${project.id}/${name}/environments/${staging.id}`;
    const flag = flags.get(name) ?? assert.fail();
    const answer = flag.isDefined
      ? await api.put(path, sendable(targeting))
      : await api.post(path, sendable({ ...targeting, seed, trafficAllocationSeed, algo }));
    assert.equal(answer.status, 200, answer.text);
    flag.isDefined = true;
  }
  for (const name of activeRules) {
    const path = `/rule-based-segments/ws/${project.id}/${name}/environments/${staging.id}`;
    const answer = await api.put(path, sendable(world.segmentRulesOf(name)));
    assert.equal(answer.status, 200, answer.text);
  }
}

/** What is stored, as our evaluation reads it and as SDKs do. */
async function load() {
  const definitions = new Map<string, ReturnType<typeof parseStored<SeededDefinition>>>();
  const rules = new Map<string, SegmentRules>();
  const wireFlags = new Map<string, WireFlag>();
  const wireSegments = new Map<string, WireSegment>();
  const surroundings = { kindOf, setNameOf: () => undefined };
  for (const [name, { id }] of flags) {
    const stored = await findStoredDefinition(api.store, staging, id);
    if (!stored) continue;
    const definition = parseStored(stored);
    definitions.set(name, definition);
    wireFlags.set(name, received(toWireFlag(definition, surroundings)));
  }
  for await (const { segment, activation } of listStoredRules(api.store, project.id, staging, {
    offset: 0,
    limit: 50,
  })) {
    const { name, trafficType } = segment;
    const { changeNumber } = activation;
    const parsed = JSON.parse(rulesTextOf(activation)) as SegmentRules;
    rules.set(name, parsed);
    const source = { ...parsed, name, trafficType: trafficType.name, changeNumber };
    wireSegments.set(name, received(toWireSegment(source, surroundings)));
  }
  const world: World = {
    definitionOf: (name) => definitions.get(name),
    segmentRulesOf: (name) => rules.get(name),
    listsKey,
    matches: matchesPattern,
  };
  const sdk: Received = {
    flagOf: (name) => wireFlags.get(name),
    ruleBasedOf: (name) => wireSegments.get(name),
    listsKey: (kind, segment, key) => kindOf(segment) === kind && listsKey(segment, key),
  };
  return { definitions, rules, world, sdk };
}

const received = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** The label that SDKs must report: that of the condition which decided. */
function labelOf({ decidedBy }: Evaluation, { conditions }: WireFlag): string {
  switch (decidedBy.kind) {
    case 'rule':
      return conditions.filter(({ conditionType }) => conditionType === 'ROLLOUT')[decidedBy.index]?.label ?? '';
    case 'targets': {
      const kind = { standard: 'segment', large: 'large segment', rule_based: 'rule based segment' };
      return decidedBy.segment === undefined
        ? 'whitelisted'
        : `whitelisted ${kind[kindOf(decidedBy.segment) ?? 'standard']}`;
    }
    default:
      return (
        { killed: 'killed', allocation: 'not in split', defaultRule: 'default rule' }[decidedBy.kind as string] ?? ''
      );
  }
}

const seen = new Map<string, number>();
const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
let evaluations = 0;

test(`${worlds * subjects} evaluations of what the Admin API saved are the same in the official engine`, async () => {
  for (let number = 0; number < worlds; number += 1) {
    await save(number);
    const { definitions, rules, world, sdk } = await load();
    const chance = chanceOf(-1 - number);
    const all = rulesIn([...definitions.values()], [...rules.values()]);
    const evaluators = [...definitions.values()].map((definition) => ({
      flag: sdk.flagOf(definition.name) ?? assert.fail(),
      definition,
      evaluate: evaluatorOf(definition, world),
    }));
    for (let subjectNumber = 0; subjectNumber < subjects; subjectNumber += 1) {
      const subject = subjectOf(chance, all);
      const { flag, definition, evaluate } = evaluators[subjectNumber % evaluators.length] ?? assert.fail();
      const evaluation = evaluate(subject);
      const theirs = evaluateBySdk(flag.name, subject, sdk);
      const ours = {
        treatment: evaluation.treatment,
        label: labelOf(evaluation, flag),
        config: evaluation.config ?? null,
      };
      evaluations += 1;
      if (ours.treatment !== theirs.treatment || ours.label !== theirs.label || ours.config !== theirs.config) {
        assert.deepEqual(ours, theirs, JSON.stringify({ number, subjectNumber, subject, definition }, null, 2));
      }
      see(`decided by ${evaluation.decidedBy.kind}`);
      see(`${evaluation.decidedBy.kind} with algorithm ${definition.algo}`);
      for (const step of evaluation.steps) {
        if (step.kind !== 'rule') continue;
        for (const [index, { holds, membership }] of step.matchers.entries()) {
          const { type, string = '' } = definition.rules[step.index]?.condition.matchers[index] ?? assert.fail();
          see(`${type} ${holds ? 'holds' : 'fails'}`);
          if (type === 'IN_SEGMENT') see(`a ${kindOf(string)} segment ${holds ? 'holds' : 'fails'}`);
          if (membership) see(`in rules by ${membership.kind}`);
        }
      }
    }
  }
  report(`${evaluations} evaluations in two engines, no difference`);
});

test('and that was about every kind of step, matcher and segment', () => {
  const expected = [
    ...['killed', 'targets', 'allocation', 'rule', 'defaultRule'].map((kind) => `decided by ${kind}`),
    ...matcherTypes.flatMap((type) => [`${type} holds`, `${type} fails`]),
    ...['standard', 'large', 'rule_based'].flatMap((kind) => [`a ${kind} segment holds`, `a ${kind} segment fails`]),
    'a undefined segment fails',
    ...[1, 2].flatMap((algo) => ['rule', 'defaultRule'].map((kind) => `${kind} with algorithm ${algo}`)),
    ...['excludedKey', 'excludedSegment', 'rules'].map((kind) => `in rules by ${kind}`),
  ];
  assert.deepEqual(
    expected.filter((what) => !seen.has(what)),
    [],
  );
  assert.equal(evaluations, worlds * subjects);
});
