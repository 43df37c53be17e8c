import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createPatterns, PatternTooSlow } from '#delivery/patterns.ts';
import { stepsOf } from '#domain/evaluation/pattern-steps.ts';

const { matches } = createPatterns();

test('an expression matches what JavaScript says, whether it runs directly or with a limit', () => {
  const parts = [
    'a',
    'b',
    '.',
    '^',
    '$',
    'a+',
    'b*',
    '(a|b)',
    '(?:ab)+',
    '(?=a)',
    '[^a]',
    '\\d{2}',
    '(.)\\1',
    '|',
    '(',
    '[',
    'é',
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...parts), { maxLength: 5 }),
      fc.string({ unit: fc.constantFrom('a', 'b', '1', 'é', ' '), maxLength: 12 }),
      (some, text) => {
        const pattern = some.join('');
        let expected = false;
        try {
          expected = new RegExp(pattern).test(text);
        } catch {
          // Such a pattern matches nothing.
        }
        assert.equal(matches(pattern, text), expected);
      },
    ),
    { numRuns: 500 },
  );
});

test('expressions that can take many steps are recognised before they run', () => {
  const isDirect = (pattern: string, length: number) => stepsOf(pattern)(length) <= 10_000_000;
  for (const pattern of [
    '^[a-z]+@example\\.com$',
    '^.*@example.com$',
    '^\\d+-\\d+$',
    '^(?:beta|staff)-',
    '^user-[0-9]{1,8}$',
  ]) {
    assert.ok(isDirect(pattern, 60), pattern);
  }
  const exponential = [
    '^(a+)+$',
    '(a|aa)+$',
    '(?:a|a)*b',
    '(a?){30}a{30}',
    '(.*)\\1{9}',
    '(?<x>a*)\\k<x>b',
    `${'a?'.repeat(30)}b`,
  ];
  for (const pattern of [...exponential, '(a|a)'.repeat(25), '.*.*.*.*=']) assert.ok(!isDirect(pattern, 60), pattern);
  assert.ok(!isDirect('.*=', 100_000));
  // A quantifier that is only a letter is none.
  assert.ok(isDirect('\\(a\\)\\+[*+?|]', 250));
});

test('an expression that exceeded the limit is not run again at once, even for a harmless text', () => {
  const pattern = '^(?:a+)+x$';
  assert.throws(() => matches(pattern, 'a'.repeat(60)), PatternTooSlow);
  const before = process.threadCpuUsage();
  for (let tries = 0; tries < 100; tries += 1) assert.throws(() => matches(pattern, 'ax'), PatternTooSlow);
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 50_000);
});
