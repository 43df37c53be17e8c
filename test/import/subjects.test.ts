import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chanceOf, subjectsOf } from '../../src/import/subjects.ts';

const startsWith = (text: string) => ({
  conditions: [
    { matcherGroup: { matchers: [{ matcherType: 'STARTS_WITH', whitelistMatcherData: { whitelist: [text] } }] } },
  ],
});

test('no key has half a surrogate pair, which the official engine would hash forever', () => {
  for (const text of ['\ud83d', `${'x'.repeat(249)}😀`]) {
    const subjects = [...subjectsOf(chanceOf(1), { keys: ['a'], rules: [startsWith(text)], count: 100 })];
    assert.ok(subjects.some(({ key }) => key.length > 1));
    for (const { key } of subjects) assert.ok(key.isWellFormed(), JSON.stringify(key));
  }
});
