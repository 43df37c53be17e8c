/** What a caller of the patch may narrow or widen, and how much a patch may copy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch, type Operation } from '#domain/json-patch.ts';

const refused = (message: string) => ({ name: 'Problem', code: 'patch_invalid', message });

const narrow = { mayName: /^\/open(\/|$)/ };
const notNamed: [rule: string, operation: Operation, complaint: string][] = [
  ['add', { op: 'add', path: '/shut/a', value: 1 }, '0/path: /shut/a cannot be changed by a patch'],
  ['remove', { op: 'remove', path: '/shut' }, '0/path: /shut cannot be changed by a patch'],
  ['replace', { op: 'replace', path: '/shut', value: 1 }, '0/path: /shut cannot be changed by a patch'],
  ['test', { op: 'test', path: '/shut', value: {} }, '0/path: /shut cannot be changed by a patch'],
  ['move to', { op: 'move', from: '/open', path: '/shut' }, '0/path: /shut cannot be changed by a patch'],
  ['move from', { op: 'move', from: '/shut', path: '/open' }, '0/from: /shut cannot be changed by a patch'],
  ['copy to', { op: 'copy', from: '/open', path: '/shut' }, '0/path: /shut cannot be changed by a patch'],
  ['replace of the root', { op: 'replace', path: '', value: 1 }, '0/path: the whole cannot be changed by a patch'],
  [
    'a name that begins alike',
    { op: 'add', path: '/opener', value: 1 },
    '0/path: /opener cannot be changed by a patch',
  ],
];
for (const [rule, operation, complaint] of notNamed) {
  test(`a place that may not be named is refused: ${rule}`, () => {
    assert.throws(() => applyPatch({ open: {}, shut: {} }, [operation], narrow), refused(complaint));
  });
}

test('the refusal of a place says what can be changed', () => {
  const options = { ...narrow, changeable: ['open', 'wide'] };
  const path = '/shut';
  assert.throws(() => applyPatch({ open: {} }, [{ op: 'remove', path }], options), {
    message: '0/path: /shut cannot be changed by a patch',
    details: 'A patch can change /open, /wide',
  });
  assert.throws(() => applyPatch({ open: {} }, [{ op: 'remove', path: '/open/a' }], options), { details: '' });
});

test('a place that may not be named can still be copied from: that changes nothing there', () => {
  const copied = applyPatch({ open: {}, shut: 1 }, [{ op: 'copy', from: '/shut', path: '/open/a' }], narrow);
  assert.deepEqual(copied, { open: { a: 1 }, shut: 1 });
});

const implying = { mayName: /^/, impliedLists: /^\/boats\/\d+\/crew\/-$/ };
const append = (path: string, value: unknown = 'ann'): Operation => ({ op: 'add', path, value });

const implied: [rule: string, document: unknown, operations: Operation[], expected: unknown][] = [
  ['is made when it is absent', { boats: [{}] }, [append('/boats/0/crew/-')], { boats: [{ crew: ['ann'] }] }],
  [
    'grows when it is there',
    { boats: [{ crew: [1] }] },
    [append('/boats/0/crew/-')],
    { boats: [{ crew: [1, 'ann'] }] },
  ],
  [
    'is made once',
    { boats: [{}] },
    [append('/boats/0/crew/-'), append('/boats/0/crew/-', 'bob')],
    { boats: [{ crew: ['ann', 'bob'] }] },
  ],
  [
    'is made for a move too',
    { boats: [{}], guest: 'eve' },
    [{ op: 'move', from: '/guest', path: '/boats/0/crew/-' }],
    { boats: [{ crew: ['eve'] }] },
  ],
];
for (const [rule, document, operations, expected] of implied) {
  test(`an implied list ${rule}`, () => assert.deepEqual(applyPatch(document, operations, implying), expected));
}

const notImplied: [rule: string, document: unknown, path: string][] = [
  ['elsewhere', { boats: [{}] }, '/boats/0/guests/-'],
  ['at an index', { boats: [{}] }, '/boats/0/crew/0'],
  ['where its holder is missing', { boats: [] }, '/boats/0/crew/-'],
  ['where its holder is no object', { boats: ['gull'] }, '/boats/0/crew/-'],
  ['where its holder is named by 00', { boats: [{}] }, '/boats/00/crew/-'],
  ['in place of text', { boats: [{ crew: 'ann' }] }, '/boats/0/crew/-'],
];
for (const [rule, document, path] of notImplied) {
  test(`no list is implied ${rule}`, () => {
    const nothingThere = { code: 'patch_invalid', message: /^0\/path: there is nothing at / };
    assert.throws(() => applyPatch(document, [append(path)], implying), nothingThere);
  });
}

const anywhere = { mayName: /^/ };
const carry = (op: 'copy' | 'move', from: string, path: string): Operation => ({ op, from, path });

test('all that a patch copies and moves is limited together to 1,048,576 characters of JSON', () => {
  const half = { text: 'x'.repeat(524_286) };
  const operations = [carry('copy', '/text', '/a'), carry('move', '/text', '/b'), carry('copy', '/b', '/c')];
  assert.deepEqual(Object.keys(applyPatch(half, operations.slice(0, 2), anywhere) as object), ['a', 'b']);
  const tooMuch = refused('2/from: the patch copies and moves too much');
  assert.throws(() => applyPatch(half, operations, anywhere), tooMuch);
});

test('copies that double a document are stopped before it is large', () => {
  const doubling = Array.from({ length: 64 }, () => carry('copy', '/a', '/a/-'));
  const tooMuch = { code: 'patch_invalid', message: /^\d+\/from: the patch copies and moves too much$/ };
  assert.throws(() => applyPatch({ a: ['x'] }, doubling, anywhere), tooMuch);
});

/** This many lists, each inside the previous one. */
const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);

for (const op of ['copy', 'move'] as const) {
  test(`a ${op} nests a value at most 64 levels deep`, () => {
    const document = { a: nested(32), b: nested(40) };
    assert.ok(applyPatch(document, [carry(op, '/a', `/b${'/0'.repeat(30)}`)], anywhere));
    const tooDeep = refused('0/path: the value would be nested too deep');
    assert.throws(() => applyPatch(document, [carry(op, '/a', `/b${'/0'.repeat(31)}`)], anywhere), tooDeep);
  });
}

test('brackets in text are no levels', () => {
  const document = { a: ['['.repeat(200), '\\"{'.repeat(200)] };
  assert.deepEqual(applyPatch(document, [carry('copy', '/a', '/b')], anywhere), { ...document, b: document.a });
});

test('a place more than 64 levels deep is refused', () => {
  const path = '/0'.repeat(64);
  const operation: Operation = { op: 'replace', path, value: 1 };
  assert.throws(() => applyPatch(nested(70), [operation], anywhere), refused('0/path: the path is too deep'));
});

test('inserting into and removing from long lists moves 20 million items at most', () => {
  const document = { long: Array.from({ length: 50_000 }, () => 0) };
  const inFront: Operation = { op: 'add', path: '/long/0', value: 1 };
  const atTheEnd: Operation = { op: 'add', path: '/long/-', value: 1 };
  const times = (count: number, operation: Operation) => Array.from({ length: count }, () => operation);
  assert.ok(applyPatch(document, times(350, inFront), anywhere));
  assert.ok(applyPatch(document, times(1_000, atTheEnd), anywhere));
  const tooMuch = { code: 'patch_invalid', message: /^39[0-9]\/path: the patch moves too many items of long lists$/ };
  assert.throws(() => applyPatch(document, times(1_000, inFront), anywhere), tooMuch);
  const remove: Operation = { op: 'remove', path: '/long/0' };
  assert.throws(() => applyPatch(document, times(1_000, remove), anywhere), {
    ...tooMuch,
    message: /^\d+\/path: the patch moves too many items of long lists$/,
  });
});
