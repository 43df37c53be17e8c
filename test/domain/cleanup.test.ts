import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DefinitionFacts,
  decisiveOf,
  defaultPolicy,
  type FlagFacts,
  factsOf,
  groupOf,
  type Keep,
  type Now,
} from '#domain/cleanup.ts';
import type { Targeting } from '#domain/definitions/definition.ts';
import type { Matcher } from '#domain/definitions/matchers.ts';

const dayMs = 86_400_000;
const at = 1_000 * dayMs;
const ago = (days: number) => at - days * dayMs;
const now: Now = { at, policy: defaultPolicy, isReporting: true };

const targeting = (changes: Partial<Targeting> = {}): Targeting => ({
  killed: false,
  treatments: [{ name: 'on' }, { name: 'off' }],
  defaultTreatment: 'off',
  baselineTreatment: 'off',
  trafficAllocation: 100,
  rules: [],
  defaultRule: [
    { treatment: 'on', size: 100 },
    { treatment: 'off', size: 0 },
  ],
  impressionsDisabled: false,
  ...changes,
});
const rule = (treatment: string, matcher: Matcher) => ({
  buckets: [{ treatment, size: 100 }],
  condition: { combiner: 'AND' as const, matchers: [matcher] },
});
const inBeta: Matcher = { type: 'IN_SEGMENT', string: 'beta' };

for (const [what, changes, treatment] of [
  ['one share of 100 %', {}, 'on'],
  [
    'a split',
    {
      defaultRule: [
        { treatment: 'on', size: 99 },
        { treatment: 'off', size: 1 },
      ],
    },
    undefined,
  ],
  ['killed', { killed: true }, 'off'],
  ['outside the allocation others', { trafficAllocation: 99 }, undefined],
  ['nobody allocated', { trafficAllocation: 0 }, 'off'],
  ['a rule with the same treatment', { rules: [rule('on', inBeta)] }, 'on'],
  ['a rule with another', { rules: [rule('off', inBeta)] }, undefined],
  ['a rule that no one reaches', { rules: [rule('on', inBeta), rule('off', inBeta)] }, 'on'],
  ['a targeted key', { treatments: [{ name: 'on' }, { name: 'off', keys: ['ada'] }] }, undefined],
  ['a targeted key with the same', { treatments: [{ name: 'on', keys: ['ada'] }, { name: 'off' }] }, 'on'],
] as const) {
  test(`what everyone gets: ${what}`, () => {
    assert.equal(factsOf(targeting(structuredClone(changes) as Partial<Targeting>)).treatment, treatment);
  });
}

const facts = (changes: Partial<DefinitionFacts> = {}): DefinitionFacts => ({
  environmentId: 'production',
  treatment: 'on',
  isKilled: false,
  since: ago(45),
  isSilent: false,
  dates: [],
  ...changes,
});
const flag = (changes: Partial<FlagFacts> = {}): FlagFacts => ({
  creationTime: ago(200),
  isPermanent: false,
  definitions: [facts()],
  everywhere: changes.definitions ?? [facts()],
  lastTrafficAt: ago(40),
  unknownSegments: [],
  codeReferences: 0,
  keep: undefined,
  ...changes,
});
const kept = (until?: number): Keep => ({ ...(until === undefined ? {} : { until }), keptAt: 0, keptBy: 'Ada' });
const ramping = [facts({ treatment: undefined })];

for (const [what, given, group, then] of [
  ['one treatment, and nobody asks', flag(), 'safe', now],
  ['never evaluated', flag({ lastTrafficAt: undefined, definitions: ramping }), 'safe', now],
  ['nobody asks, but code names it', flag({ codeReferences: 1 }), 'code', now],
  ['one treatment, but SDKs ask', flag({ lastTrafficAt: ago(1) }), 'code', now],
  ['SDKs do not report it', flag({ definitions: [facts({ isSilent: true })] }), 'code', now],
  ['no SDK reports anything', flag(), 'code', { ...now, isReporting: false }],
  [
    'one treatment for a short time',
    flag({ definitions: [facts({ since: ago(29) })], lastTrafficAt: ago(1) }),
    'in-use',
    now,
  ],
  ['nobody asks, but it just changed', flag({ definitions: [facts({ since: ago(29) })] }), 'in-use', now],
  ['young', flag({ creationTime: ago(89) }), 'in-use', now],
  [
    'environments differ',
    flag({ definitions: [facts(), facts({ treatment: 'off' })], lastTrafficAt: ago(1) }),
    'in-use',
    now,
  ],
  ['defined nowhere', flag({ definitions: [], lastTrafficAt: undefined }), 'safe', { ...now, isReporting: false }],
  [
    'never evaluated, defined elsewhere',
    flag({ definitions: [], everywhere: [facts()], lastTrafficAt: undefined }),
    'in-use',
    { ...now, isReporting: false },
  ],
  ['killed for long', flag({ definitions: [facts({ isKilled: true })] }), 'killed', now],
  ['killed lately', flag({ definitions: [facts({ isKilled: true, since: ago(3) })] }), 'in-use', now],
  ['an unknown segment', flag({ definitions: ramping, lastTrafficAt: at, unknownSegments: ['beta'] }), 'rules', now],
  ['a date that passed', flag({ definitions: [dated(31)], lastTrafficAt: at }), 'rules', now],
  ['a date that passed lately', flag({ definitions: [dated(29)], lastTrafficAt: at }), 'in-use', now],
  ['permanent', flag({ isPermanent: true }), 'in-use', now],
  ['kept for good', flag({ keep: kept() }), 'kept', now],
  ['kept until tomorrow', flag({ keep: kept(ago(-1)) }), 'kept', now],
  ['kept until yesterday', flag({ keep: kept(ago(1)) }), 'safe', now],
  ['kept, but not finished', flag({ keep: kept(), creationTime: ago(1) }), 'in-use', now],
] as const) {
  test(`${what}: ${group}`, () => assert.equal(groupOf(given, then), group));
}

function dated(days: number): DefinitionFacts {
  return facts({ treatment: undefined, dates: [{ attribute: 'now', date: ago(days) }] });
}

test('dates are the last instants of conditions', () => {
  const rules = [
    rule('on', { type: 'ON_OR_BEFORE_DATE', attribute: 'now', date: 5 }),
    rule('on', { type: 'BETWEEN_DATE', attribute: 'day', between: { from: 1, to: 9 } }),
  ];
  assert.deepEqual(factsOf(targeting({ rules })).dates, [
    { attribute: 'now', date: 5 },
    { attribute: 'day', date: 9 },
  ]);
});

test('environments of the policy decide, else production, else all', () => {
  const [production, staging] = [
    { id: 'p', production: true },
    { id: 's', production: false },
  ];
  const both = [production, staging];
  assert.deepEqual(decisiveOf(both, { ...defaultPolicy, environmentIds: ['s'] }), [staging]);
  assert.deepEqual(decisiveOf(both, { ...defaultPolicy, environmentIds: ['deleted'] }), [production]);
  assert.deepEqual(decisiveOf([staging], defaultPolicy), [staging]);
});
