import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { shownColumns } from '../../web/src/features/flags/columns.ts';
import { flagsSearch, sortOf, sortText } from '../../web/src/features/flags/flags-search.ts';
import { flagPath, ownPath, withCurrentNames } from '../../web/src/state/paths.ts';
import { parseSearch, stringifySearch, textSearch } from '../../web/src/state/search-params.ts';

test('values in a URL are read back unchanged, and stay text', () => {
  const value = fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 2, maxLength: 4 }));
  const name = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__');
  fc.assert(
    fc.property(fc.dictionary(name, value), (search) => {
      assert.deepEqual(parseSearch(stringifySearch(search)), { ...search });
    }),
  );
  assert.equal(stringifySearch({ a: undefined }), '');
  assert.deepEqual(parseSearch('?token=123&flag=true'), { token: '123', flag: 'true' });
});

test('if one value is expected, the first counts', () => {
  assert.deepEqual(textSearch({ q: ['a', 'b'], status: 'x' }), { q: 'a', status: 'x' });
  assert.deepEqual(flagsSearch({ q: ['a', 'b'], tag: 'one', status: '' }), {
    q: 'a',
    sort: undefined,
    status: undefined,
    tag: ['one'],
    owner: undefined,
    type: undefined,
    state: undefined,
    archived: undefined,
    traffic: undefined,
    drafts: undefined,
    watched: undefined,
    start: undefined,
    board: undefined,
    view: undefined,
  });
});

test('names that mean something in an address are written so that they do not', () => {
  assert.equal(flagPath('A/B ?', 'x#1', '100%'), '/p/A%2FB%20%3F/flags/x%231/100%25');
  assert.equal(flagPath('Checkout', 'x'), '/p/Checkout/flags/x');
});

test('the usual order is not in the address, and an unknown one is the usual', () => {
  assert.deepEqual(sortOf({}), { sort: 'changed', order: 'desc' });
  assert.deepEqual(sortOf({ sort: '-size' }), sortOf({}));
  for (const text of ['name', '-name', 'changed', '-share']) assert.equal(sortText(sortOf({ sort: text })), text);
  assert.equal(sortText(sortOf({})), undefined);
});

test('production is always shown; of the others, as many as fit, those closest to production first', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'p'].map((name) => ({ id: name, name, production: name === 'p' }));
  const at = (width: number, choices = {}) => {
    const { lead, bars, columns } = shownColumns(width, all, choices);
    return [lead?.name, bars.map(({ name }) => name).join(''), [...columns].join()];
  };
  assert.deepEqual(at(1384), ['p', 'edcb', 'tags,status,evaluations,owner,changed']);
  assert.deepEqual(at(1000), ['p', 'e', 'tags,status,evaluations,owner,changed']);
  assert.deepEqual(at(800), ['p', 'e', 'status,owner,changed']);
  assert.deepEqual(at(640), ['p', '', 'status,changed']);
  assert.deepEqual(at(1384, { 'env:e': false, 'env:a': true, tags: false }), [
    'p',
    'dcba',
    'status,evaluations,owner,changed',
  ]);
});

test('columns of bars are wider where names need it and there is room', () => {
  const named = (name: string) => [name, 'Production'].map((one) => ({ id: one, name: one, production: one !== name }));
  assert.equal(shownColumns(1384, named('Staging'), {}).wider, 0);
  assert.equal(shownColumns(1384, named('Staging-Default'), {}).wider, 42);
  assert.equal(shownColumns(807, named('Staging-Default'), {}).wider, 11);
});

test('after signing in nobody is sent to another site', () => {
  const path = (address: unknown) => ownPath(address, 'https://flags.example');
  for (const address of [
    '//evil.com',
    '/\\evil.com',
    'https://evil.com/p',
    'javascript:alert(1)',
    '/.//evil.com',
    '/..//evil.com/x',
    '/a/..//evil.com',
    '/%2e//evil.com',
    'https://flags.example//evil.com',
    undefined,
    7,
  ]) {
    assert.equal(path(address), '/', String(address));
  }
  assert.equal(path('/p/Checkout/flags?q=a#b'), '/p/Checkout/flags?q=a#b');
  assert.equal(path('https://flags.example/me'), '/me');
  fc.assert(
    fc.property(fc.webPath(), fc.constantFrom('/', '/./', '/../', '//', '/%2E%2e/'), (rest, start) => {
      assert.equal(new URL(path(start + rest), 'https://flags.example').origin, 'https://flags.example');
    }),
  );
});

test('a current name of an environment stays, even if another environment had it', () => {
  const params = { environment: 'Staging' };
  assert.equal(withCurrentNames(params, [{ name: 'Preview', formerNames: ['Staging'] }, { name: 'Staging' }]), params);
});

test('former names of environments become current ones, where an address names environments', () => {
  const environments = [{ name: 'Preview', formerNames: ['Staging', 'Test'] }, { name: 'Production' }];
  assert.deepEqual(withCurrentNames({ project: 'Test', environment: 'Test' }, environments), {
    project: 'Test',
    environment: 'Preview',
  });
  assert.deepEqual(withCurrentNames({ a: 'Staging', b: 'Production', q: 'Test' }, environments), {
    a: 'Preview',
    b: 'Production',
    q: 'Test',
  });
  for (const params of [{}, { environment: 'Production' }, { active: undefined }, { q: 'Staging', tag: ['Test'] }]) {
    assert.equal(withCurrentNames(params, environments), params);
  }
});
