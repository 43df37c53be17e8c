import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersFor, instancesInWords } from '../../web/src/sdks/connected.ts';

test('connected instances are counted apart from browsers and apps', () => {
  assert.equal(instancesInWords({ connected: 0, clients: 0 }), 'None connected');
  assert.equal(instancesInWords({ connected: 1, clients: 0 }), '1 instance');
  assert.equal(instancesInWords({ connected: 4, clients: 1_200 }), '4 instances, 1,200 in browsers and apps');
  assert.equal(instancesInWords({ connected: 0, clients: 2 }), '2 in browsers and apps');
});

test('answers about another flag, or about a deleted one with the same name, do not count', () => {
  const answer = (flag: string, at: number) => ({ flag, at, receivedAt: at + 100, key: 'user-1', treatment: 'off' });
  const answers = [answer('other', 3_000), answer('mine', 2_000), answer('mine', 500)];
  assert.deepEqual(answersFor(answers, { name: 'mine', creationTime: 1_000 }), [answers[1]]);
});
