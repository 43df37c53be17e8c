import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkTargeting, dependenciesOf, type Targeting } from '#domain/definitions/definition.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { copyParts, type Part, parts } from '../../src/domain/definitions/copy-parts.ts';
import { everyoneOff, halfAndHalf } from '../../web/src/features/definitions/page/templates.ts';
import { targeting } from '../domain/changed-definitions.ts';
import { aDefinition } from '../support/build.ts';

const requireValid = (copied: Targeting) =>
  assert.deepEqual(
    checkTargeting(copied, { flag: 'gull', existingFlags: new Set(dependenciesOf(copied)), dependentFlags: new Set() }),
    [],
  );

test('templates are valid as they are', () => {
  for (const { targeting: template } of [everyoneOff, halfAndHalf]) {
    requireValid(template);
    assert.deepEqual(parseTargeting(template), template);
  }
});

test('whatever parts are copied from one environment to another, the result is valid', () => {
  fc.assert(
    fc.property(targeting, fc.option(targeting, { nil: undefined }), fc.subarray([...parts]), (from, to, wanted) => {
      requireValid(copyParts(from, to, new Set(wanted)));
    }),
  );
});

test('all parts make the same definition, except where the target has treatments of its own in use', () => {
  fc.assert(
    fc.property(targeting, targeting, (from, to) => {
      assert.deepEqual(copyParts(from, to, new Set(parts)), from);
    }),
  );
});

test('no part changes nothing', () => {
  fc.assert(
    fc.property(targeting, targeting, (from, to) => {
      assert.deepEqual(copyParts(from, to, new Set()), to);
    }),
  );
});

const from = parseTargeting(
  aDefinition({
    treatments: [{ name: 'on', keys: ['ana'], description: 'one page' }, { name: 'off' }, { name: 'compact' }],
    rules: [
      {
        buckets: [{ treatment: 'compact', size: 100 }],
        condition: { matchers: [{ type: 'IN_SEGMENT', string: 'staff' }] },
      },
    ],
    killed: true,
  }),
);
const copied = (to: Targeting | undefined, ...wanted: Part[]) => copyParts(from, to, new Set(wanted));

test('without a definition, individual targets and the killed state are copied only on request', () => {
  assert.deepEqual(copied(undefined), {
    ...from,
    killed: false,
    treatments: [{ name: 'on', description: 'one page' }, { name: 'off' }, { name: 'compact' }],
  });
  assert.deepEqual(copied(undefined, 'targets', 'killed'), from);
});

test('rules bring the treatments that they need', () => {
  const to = parseTargeting(aDefinition());
  assert.deepEqual(copied(to, 'rules'), {
    ...to,
    rules: from.rules,
    treatments: [{ name: 'on' }, { name: 'off' }, { name: 'compact' }],
  });
});
