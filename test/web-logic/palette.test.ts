import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bestFirst,
  contains,
  flagSteps,
  parseAsked,
  projectSteps,
  resembles,
} from '../../web/src/shell/palette-actions.ts';

const flag = { flag: 'checkout', project: 'Web shop' };
const environments = [
  { name: 'Staging', production: false },
  { name: 'Production', production: true },
];
const labels = (text: string) => flagSteps(parseAsked(text), flag, environments).map(({ label }) => label);

test('a word after a name is an action, if it is the start of one', () => {
  assert.deepEqual(parseAsked('checkout ki'), { name: 'checkout', action: 'ki', where: '' });
  assert.deepEqual(parseAsked('web check kill stag'), { name: 'web check', action: 'kill', where: 'stag' });
  assert.deepEqual(parseAsked('kill'), { name: 'kill', action: undefined, where: '' });
  assert.deepEqual(parseAsked('checkout k'), { name: 'checkout k', action: undefined, where: '' });
  assert.deepEqual(parseAsked(' checkout  page '), { name: 'checkout page', action: undefined, where: '' });
});

test('a kill is offered in every environment, in production first, or where the text says', () => {
  assert.deepEqual(labels('checkout kill'), ['Kill in Production', 'Kill in Staging']);
  assert.deepEqual(labels('checkout kill stag'), ['Kill in Staging']);
  assert.deepEqual(flagSteps(parseAsked('checkout kill prod'), flag, environments), [
    { label: 'Kill in Production', to: '/p/Web%20shop/flags/checkout/Production?kill=' },
  ]);
});

test('history, comparison, JSON and details of a flag are actions, and so are the pages of a project', () => {
  assert.deepEqual(labels('checkout hist'), ['History']);
  assert.deepEqual(labels('checkout compare'), ['Compare']);
  assert.deepEqual(labels('checkout json prod'), ['JSON in Production']);
  assert.deepEqual(labels('checkout details'), ['Details']);
  assert.deepEqual(projectSteps(parseAsked('shop sett'), 'Web shop'), [
    { label: 'Settings', to: '/p/Web%20shop/settings' },
  ]);
});

test('entries contain every word, or resemble it', () => {
  assert.ok(contains('Project settings', 'set pro'));
  assert.ok(!contains('Project settings', 'setings'));
  assert.ok(resembles('Project settings', 'setings'));
  assert.ok(!resembles('Project settings', 'users'));
});

test('matches at the start of a name come before other matches', () => {
  const pages = [{ label: 'Changesets' }, { label: 'Project settings' }, { label: 'Settings' }];
  const order = (text: string) => bestFirst(pages, text).map(({ label }) => label);
  assert.deepEqual(order('set'), ['Project settings', 'Settings', 'Changesets']);
  assert.deepEqual(order('set pro'), ['Project settings', 'Changesets', 'Settings']);
  assert.deepEqual(order(''), ['Changesets', 'Project settings', 'Settings']);
});
