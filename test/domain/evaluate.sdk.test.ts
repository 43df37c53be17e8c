/** The evaluation is that of the official SDKs: their engine and ours, side by side, on whatever chance brings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTargeting } from '#domain/definitions/definition.ts';
import { matcherTypes } from '#domain/definitions/matchers.ts';
import { type Evaluation, evaluatorOf } from '#domain/evaluation/evaluate.ts';
import { type RandomWorld, worldOf } from '../support/random-worlds.ts';
import { evaluateBySdk } from '../support/sdk-engine.ts';

const worlds = 100_000;

/** What the SDKs report as the reason. */
function labelOf({ decidedBy }: Evaluation): string {
  switch (decidedBy.kind) {
    case 'killed':
      return 'killed';
    case 'targets':
      return decidedBy.segment === undefined ? 'whitelisted' : 'whitelisted segment';
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

/** How often each thing was seen, so that the agreement is known to be about something. */
const seen = new Map<string, number>();
const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);

function note({ flags: [flag] }: RandomWorld, evaluation: Evaluation): void {
  see(`decided by ${evaluation.decidedBy.kind}`);
  if (evaluation.config !== undefined) see('a configuration');
  for (const step of evaluation.steps) {
    if (step.kind !== 'rule') continue;
    for (const [index, { holds, reading, other }] of step.matchers.entries()) {
      const { type, negate } = flag?.rules[step.index]?.condition.matchers[index] ?? assert.fail();
      see(`${type} ${negate ? 'negated ' : ''}${holds ? 'holds' : 'fails'}`);
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
    const { treatment, label, config } = evaluateBySdk(flag.name, world.subject, world);
    const ours = [evaluation.treatment, labelOf(evaluation), evaluation.config ?? null];
    if (ours.join('\n') !== [treatment, label, config].join('\n') || ours[2] !== config) {
      assert.deepEqual(ours, [treatment, label, config], JSON.stringify({ number, ...world }, null, 2));
    }
    note(world, evaluation);
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
    'a configuration',
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
    for (const flag of worldOf(number).flags) {
      const existingFlags = new Set(['first', 'second', 'third', 'elsewhere']);
      assert.deepEqual(checkTargeting(flag, { flag: flag.name, existingFlags, dependentFlags: new Set() }), []);
    }
  }
});
