/** Finding things of all projects by name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distance, partsOf, typosOf } from '#domain/search.ts';
import { refused, startApi } from '../support/app.ts';
import { aFlag, aProject, aSegment, uniqueName } from '../support/build.ts';

const api = await startApi();
const shop = await aProject(api, { name: 'Web shop' });
const bank = await aProject(api, { name: 'Banking' });

const found = async (text: string, options = {}): Promise<string[]> => {
  const { status, body } = await api.get(`/search?text=${encodeURIComponent(text)}`, options);
  assert.equal(status, 200, JSON.stringify(body));
  return body.objects.map(
    (one: { kind: string; name: string; project: { name: string } }) => `${one.kind} ${one.project.name}/${one.name}`,
  );
};

await aFlag(api, shop, 'checkout_one_page');
await aFlag(api, bank, 'recheckout');
await aFlag(api, bank, 'CheckOut');
await aSegment(api, bank, [bank.staging], 'checkout_testers');

test('flags, segments, environments and projects of all projects are found, the best match first', async () => {
  assert.deepEqual(await found('CHECKOUT'), [
    'flag Banking/CheckOut',
    'segment Banking/checkout_testers',
    'flag Web shop/checkout_one_page',
    'flag Banking/recheckout',
  ]);
  assert.ok((await found('web shop')).includes('project Web shop/Web shop'));
  assert.ok((await found(bank.staging.name)).includes(`environment Banking/${bank.staging.name}`));
});

test('every word must be found, in the name or in the name of the project', async () => {
  assert.deepEqual(await found('page check'), ['flag Web shop/checkout_one_page']);
  assert.deepEqual(await found('banking checkout'), [
    'flag Banking/CheckOut',
    'segment Banking/checkout_testers',
    'flag Banking/recheckout',
  ]);
  assert.deepEqual(await found('banking page'), []);
  assert.deepEqual(await found('  '), []);
  assert.deepEqual(await found('check%page'), []);
});

test('one letter in four and two in eight may be wrong, missing, superfluous or swapped', async () => {
  for (const typed of [
    'chekcout_on_page',
    'checkout_onepage',
    'chekout_one_pag',
    'one_pagge',
    'oen_page',
    'ckeckuot_one',
  ]) {
    assert.deepEqual(await found(typed), ['flag Web shop/checkout_one_page'], typed);
  }
  assert.deepEqual(await found('oxe'), []);
  assert.deepEqual(await found('pxge'), []);
  assert.deepEqual(await found('chxckxut_xne'), []);
});

test('a part of every mistyped word is in the name that was meant', () => {
  const name = 'checkout_one_page_express';
  for (let start = 0; start < 8; start++) {
    for (let length = 4; length < 16; length++) {
      const word = name.slice(start, start + length);
      for (let at = 0; at + 1 < word.length; at++) {
        const swapped = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
        const others = [word.slice(0, at) + word.slice(at + 1), `${word.slice(0, at)}#${word.slice(at + 1)}`];
        const isKept = (typed: string) => partsOf(typed).some((part) => name.includes(part));
        for (const typed of [`${word.slice(0, at)}#${word.slice(at)}`, ...others, ...(length > 4 ? [swapped] : [])]) {
          if (typosOf(typed) === 0) continue;
          assert.ok(isKept(typed), `${typed} for ${word}`);
          assert.ok(distance(typed, name) <= 1, `${typed} for ${word}`);
        }
      }
    }
  }
});

test('archived flags are not found', async () => {
  const { id } = await aFlag(api, shop, 'bygone_banner');
  assert.equal((await api.post(`/splits/ws/${shop.id}/${id}/archive`, {})).status, 200);
  assert.deepEqual(await found('bygone_banner'), []);
});

test('callers find only what they may read', async () => {
  const keyFor = async (fields: object): Promise<string> =>
    (await api.post('/apiKeys', { name: uniqueName('key'), apiKeyType: 'admin', ...fields })).body.key;
  const inShop = { workspace: { type: 'workspace', id: shop.id } };
  const ofShop = await keyFor({ ...inShop, roles: ['API_FEATURE_FLAG_VIEWER'] });
  assert.deepEqual(await found('checkout', { as: ofShop }), ['flag Web shop/checkout_one_page']);
  assert.deepEqual(await found('banking', { as: ofShop }), []);
  const ofSegments = await keyFor({ roles: ['API_SEGMENT_VIEWER'] });
  assert.deepEqual(await found('checkout', { as: ofSegments }), ['segment Banking/checkout_testers']);
  const ofStaging = await keyFor({
    ...inShop,
    roles: ['API_FEATURE_FLAG_EDITOR'],
    environments: [{ type: 'environment', id: shop.staging.id }],
  });
  assert.deepEqual(await found('shop', { as: ofStaging }), [
    'project Web shop/Web shop',
    `environment Web shop/${shop.staging.name}`,
  ]);
});

test('the text has 1 to 100 letters', async () => {
  refused(await api.get('/search'), 400, /text/);
  refused(await api.get(`/search?text=${'a'.repeat(101)}`), 400, /text/);
});
