/** What a JSON Patch may do to a definition. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Definition, toTargeting } from '#domain/definitions/definition.ts';
import { parseTargeting, patchTargeting } from '#domain/definitions/parse.ts';
import type { Operation } from '#domain/json-patch.ts';
import { aDefinition } from '../support/build.ts';

const definition: Definition = {
  id: 'id-of-gull',
  name: 'gull',
  environment: { id: 'id-of-staging', name: 'staging' },
  trafficType: { id: 'id-of-user', name: 'user' },
  ...parseTargeting(aDefinition()),
  creationTime: 1,
  lastUpdateTime: 2,
  revision: 3,
};

const done: [rule: string, operations: Operation[], changed: Partial<Definition>][] = [
  ['a field is replaced', [{ op: 'replace', path: '/trafficAllocation', value: 5 }], { trafficAllocation: 5 }],
  [
    'the default rule is replaced',
    [{ op: 'replace', path: '/defaultRule', value: [{ treatment: 'on', size: 100 }] }],
    { defaultRule: [{ treatment: 'on', size: 100 }] },
  ],
  ...([true, 'true'] as const).map((value): [string, Operation[], Partial<Definition>] => [
    `/killed takes ${JSON.stringify(value)}`,
    [{ op: 'replace', path: '/killed', value }],
    { killed: true },
  ]),
  [
    'keys and segments are appended where there are none yet, and where there are',
    [
      { op: 'add', path: '/treatments/0/keys/-', value: 'ann' },
      { op: 'add', path: '/treatments/0/keys/-', value: 'bob' },
      { op: 'add', path: '/treatments/1/segments/-', value: 'crew' },
    ],
    {
      treatments: [
        { name: 'on', keys: ['ann', 'bob'] },
        { name: 'off', segments: ['crew'] },
      ],
    },
  ],
  ['null empties the rules', [{ op: 'replace', path: '/rules', value: null }], { rules: [] }],
  ['a removed field gets its default', [{ op: 'remove', path: '/trafficAllocation' }], { trafficAllocation: 100 }],
  [
    'what the server sets may be tested, and replaced by itself',
    [
      { op: 'test', path: '/name', value: 'gull' },
      { op: 'test', path: '/lastUpdateTime', value: 2 },
      { op: 'replace', path: '/environment/name', value: 'staging' },
    ],
    {},
  ],
];
for (const [rule, operations, changed] of done) {
  test(rule, () => {
    const before = structuredClone(definition);
    assert.deepEqual(patchTargeting(definition, operations), { ...toTargeting(definition), ...changed });
    assert.deepEqual(definition, before);
  });
}

for (const field of ['id', 'name', 'environment', 'trafficType', 'creationTime', 'lastUpdateTime'] as const) {
  const operations: Operation[] = [
    { op: 'replace', path: `/${field}`, value: 'x' },
    { op: 'remove', path: `/${field}` },
    { op: 'copy', from: '/trafficAllocation', path: `/${field}` },
    { op: 'move', from: `/${field}`, path: '/treatments/0/description' },
  ];
  for (const operation of operations) {
    test(`/${field} is set by the server: ${operation.op} is refused`, () => {
      const message = `/${field} is set by the server and cannot be changed`;
      assert.throws(() => patchTargeting(definition, [operation]), { code: 'patch_invalid', message });
    });
  }
}

/** Lists in lists, each copy twice as deep as the one before: no single operation is deep or large. */
const deeper = Array.from({ length: 14 }, (_, step): Operation => {
  return { op: 'copy', from: '/rules', path: `/rules${'/0'.repeat(2 ** step)}` };
});

const refused: [rule: string, operations: Operation[], problem: { code?: string; kind?: string; message?: string }][] =
  [
    [
      'what is no field',
      [{ op: 'add', path: '/title', value: 'x' }],
      { code: 'patch_invalid', message: '0/path: /title cannot be changed by a patch' },
    ],
    ['what the store keeps beside it', [{ op: 'replace', path: '/revision', value: 9 }], { code: 'patch_invalid' }],
    ['the whole', [{ op: 'replace', path: '', value: {} }], { code: 'patch_invalid' }],
    [
      'a treatment that is not there',
      [{ op: 'add', path: '/treatments/2/keys/-', value: 'k' }],
      { code: 'patch_invalid' },
    ],
    [
      'a result without a required field',
      [{ op: 'remove', path: '/defaultRule' }],
      { code: 'definition_invalid', message: 'defaultRule is required' },
    ],
    [
      'a result of the wrong type',
      [{ op: 'replace', path: '/defaultRule/0/size', value: '9' }],
      { code: 'definition_invalid', message: 'defaultRule/0/size must be integer' },
    ],
    [
      'a good operation beside a bad one',
      [
        { op: 'replace', path: '/killed', value: true },
        { op: 'test', path: '/killed', value: false },
      ],
      { code: 'patch_invalid', message: '1/value: the test failed, /killed has another value' },
    ],
    ['copies that nest without end', [{ op: 'replace', path: '/rules', value: [] }, ...deeper], { kind: 'invalid' }],
  ];
for (const [rule, operations, problem] of refused) {
  test(`refused: ${rule}`, () => {
    assert.throws(() => patchTargeting(definition, operations), { name: 'Problem', ...problem });
  });
}
