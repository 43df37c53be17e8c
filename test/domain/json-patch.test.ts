import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch, type Operation, type PatchOptions } from '#domain/json-patch.ts';

const noSlash = 'a path begins with a slash; did you mean /name?';
const anywhere: PatchOptions = { mayName: /^/ };
const refused = (message: string) => ({ name: 'Problem', code: 'patch_invalid', message });

/** The cases of RFC 6902, appendix A, in its order, and what its sections 4.1 to 4.6 add. */
const done: [rule: string, document: unknown, operations: Operation[], expected: unknown][] = [
  ['add makes a member', { hull: 1 }, [{ op: 'add', path: '/mast', value: 2 }], { hull: 1, mast: 2 }],
  [
    'add inserts before the index',
    { crew: ['ann', 'cid'] },
    [{ op: 'add', path: '/crew/1', value: 'bob' }],
    { crew: ['ann', 'bob', 'cid'] },
  ],
  ['remove takes a member away', { hull: 1, mast: 2 }, [{ op: 'remove', path: '/mast' }], { hull: 1 }],
  [
    'remove closes the gap in a list',
    { crew: ['ann', 'bob', 'cid'] },
    [{ op: 'remove', path: '/crew/1' }],
    { crew: ['ann', 'cid'] },
  ],
  [
    'replace exchanges a value',
    { hull: 1, mast: 2 },
    [{ op: 'replace', path: '/hull', value: [] }],
    { hull: [], mast: 2 },
  ],
  [
    'move takes a member elsewhere',
    { port: { buoy: 'red', pier: 1 }, starboard: { pier: 2 } },
    [{ op: 'move', from: '/port/buoy', path: '/starboard/buoy' }],
    { port: { pier: 1 }, starboard: { pier: 2, buoy: 'red' } },
  ],
  [
    'move counts the new index after the removal',
    { crew: ['ann', 'bob', 'cid', 'dan'] },
    [{ op: 'move', from: '/crew/1', path: '/crew/3' }],
    { crew: ['ann', 'cid', 'dan', 'bob'] },
  ],
  [
    'test passes where the values are equal',
    { name: 'gull', crew: ['ann', 2, 'cid'] },
    [
      { op: 'test', path: '/name', value: 'gull' },
      { op: 'test', path: '/crew/1', value: 2 },
    ],
    { name: 'gull', crew: ['ann', 2, 'cid'] },
  ],
  [
    'add makes a member that holds members',
    { hull: 1 },
    [{ op: 'add', path: '/mast', value: { boom: { length: 3 } } }],
    { hull: 1, mast: { boom: { length: 3 } } },
  ],
  [
    'members of an operation that nobody knows are ignored',
    { hull: 1 },
    [{ op: 'add', path: '/mast', value: 2, knots: 9 } as Operation],
    { hull: 1, mast: 2 },
  ],
  [
    '~1 is read before ~0',
    { '/': 9, '~1': 10, '~': 11 },
    [
      { op: 'test', path: '/~01', value: 10 },
      { op: 'test', path: '/~1', value: 9 },
      { op: 'test', path: '/~0', value: 11 },
    ],
    { '/': 9, '~1': 10, '~': 11 },
  ],
  [
    'add appends at -',
    { crew: ['ann'] },
    [{ op: 'add', path: '/crew/-', value: ['bob', 'cid'] }],
    { crew: ['ann', ['bob', 'cid']] },
  ],
  ['add at the length of a list appends', [1], [{ op: 'add', path: '/1', value: 2 }], [1, 2]],
  ['add replaces a member that is there', { hull: 1 }, [{ op: 'add', path: '/hull', value: null }], { hull: null }],
  ['add at the root replaces the document', { hull: 1 }, [{ op: 'add', path: '', value: [] }], []],
  ['replace at the root replaces the document', [1], [{ op: 'replace', path: '', value: { a: 1 } }], { a: 1 }],
  ['copy leaves the source', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
  ['move to the same place is no change', { a: [1, 2] }, [{ op: 'move', from: '/a/0', path: '/a/0' }], { a: [1, 2] }],
  [
    'move to a name that begins alike is no move into itself',
    { a: 1 },
    [{ op: 'move', from: '/a', path: '/ab' }],
    { ab: 1 },
  ],
  [
    'test ignores the order of members',
    { a: 1, b: 2 },
    [{ op: 'test', path: '', value: { b: 2, a: 1 } }],
    { a: 1, b: 2 },
  ],
  ['an empty name is a name', { '': { '': 1 } }, [{ op: 'replace', path: '//', value: 2 }], { '': { '': 2 } }],
  ['a name of digits is a name in an object', { a: {} }, [{ op: 'add', path: '/a/01', value: 1 }], { a: { '01': 1 } }],
  ['- is a name in an object', { a: {} }, [{ op: 'add', path: '/a/-', value: 1 }], { a: { '-': 1 } }],
  [
    'a later operation sees what an earlier one did',
    {},
    [
      { op: 'add', path: '/a', value: {} },
      { op: 'add', path: '/a/b', value: 1 },
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'replace', path: '/c/b', value: 2 },
    ],
    { a: { b: 1 }, c: { b: 2 } },
  ],
  ['no operations are no change', { a: 1 }, [], { a: 1 }],
  [
    'constructor and prototype are names like any other',
    { a: { constructor: 1, prototype: 2 } },
    [{ op: 'add', path: '/b', value: { constructor: 3, prototype: 4 } }],
    { a: { constructor: 1, prototype: 2 }, b: { constructor: 3, prototype: 4 } },
  ],
];

for (const [rule, document, operations, expected] of done) {
  test(rule, () => assert.deepEqual(applyPatch(document, operations, anywhere), expected));
}

const list = { crew: ['ann', 'bob'], name: 'gull' };
const nothingAt = (path: string) => `0/path: there is nothing at ${path}`;

const impossible: [rule: string, operation: Operation, complaint: string][] = [
  // RFC 6902, A.9 and A.12
  [
    'test fails on another value',
    { op: 'test', path: '/name', value: 'tern' },
    '0/value: the test failed, /name has another value',
  ],
  ['add needs a parent', { op: 'add', path: '/mast/boom', value: 1 }, nothingAt('/mast/boom')],
  // the rest of the standard
  ['remove needs a value to be there', { op: 'remove', path: '/mast' }, nothingAt('/mast')],
  ['replace needs a value to be there', { op: 'replace', path: '/mast', value: 1 }, nothingAt('/mast')],
  ['test needs a value to be there', { op: 'test', path: '/mast', value: null }, nothingAt('/mast')],
  ['text has no members', { op: 'add', path: '/name/0', value: 1 }, nothingAt('/name/0')],
  ['add beyond the length of a list', { op: 'add', path: '/crew/3', value: 1 }, nothingAt('/crew/3')],
  ['remove at the length of a list', { op: 'remove', path: '/crew/2' }, nothingAt('/crew/2')],
  ['replace at the length of a list', { op: 'replace', path: '/crew/2', value: 1 }, nothingAt('/crew/2')],
  ['the root cannot be removed', { op: 'remove', path: '' }, '0/path: the whole document cannot be removed'],
  ['the root cannot be moved', { op: 'move', from: '', path: '' }, '0/from: the whole document cannot be removed'],
  ['move needs a source', { op: 'move', from: '/mast', path: '/a' }, '0/from: there is nothing at /mast'],
  ['copy needs a source', { op: 'copy', from: '/crew/-', path: '/a' }, '0/from: there is nothing at /crew/-'],
  ['move into itself', { op: 'move', from: '/crew', path: '/crew/0' }, '0/path: a value cannot be moved into itself'],
  ['move the root into itself', { op: 'move', from: '', path: '/a' }, '0/path: a value cannot be moved into itself'],
  ['a pointer begins with /', { op: 'add', path: 'name', value: 1 }, `0/path: ${noSlash}`],
  ['a source begins with /', { op: 'copy', from: 'name', path: '/a' }, `0/from: ${noSlash}`],
  ['~ stands before 0 or 1', { op: 'add', path: '/a~2', value: 1 }, '0/path must be a JSON Pointer'],
  ['~ is never the end', { op: 'add', path: '/a~', value: 1 }, '0/path must be a JSON Pointer'],
  ...(['add', 'replace', 'test'] as const).map((op): [string, Operation, string] => [
    `${op} needs a value`,
    { op, path: '/name' },
    `0/value is required for ${op}`,
  ]),
  ...(['move', 'copy'] as const).map((op): [string, Operation, string] => [
    `${op} needs from`,
    { op, path: '/name' },
    `0/from is required for ${op}`,
  ]),
  // what looks like a place of JavaScript and is none of the document
  ...[
    '/crew/01',
    '/crew/-1',
    '/crew/1e0',
    '/crew/ 1',
    '/crew/',
    '/crew/length',
    '/crew/-',
    '/toString',
    '/crew/at',
  ].map((path): [string, Operation, string] => [
    `${path} is no place`,
    { op: 'replace', path, value: 0 },
    nothingAt(path),
  ]),
  ...['/crew/-', '/crew/length', '/toString', '/__proto__', '/crew/__proto__'].map(
    (path): [string, Operation, string] => [`nothing to remove at ${path}`, { op: 'remove', path }, nothingAt(path)],
  ),
  ...['/__proto__', '/__proto__/polluted', '/crew/__proto__/polluted', '/toString/polluted', '/crew/length'].map(
    (path): [string, Operation, string] => [
      `nothing is added at ${path}`,
      { op: 'add', path, value: 1 },
      nothingAt(path),
    ],
  ),
];

for (const [rule, operation, complaint] of impossible) {
  test(`refused: ${rule}`, () => {
    assert.throws(() => applyPatch(list, [operation], anywhere), refused(complaint));
    assert.deepEqual(list, { crew: ['ann', 'bob'], name: 'gull' });
  });
}

// RFC 6902, A.13
test('if an operation has a member twice, the last one counts', () => {
  const operations = JSON.parse('[{"op":"add","path":"/mast","value":2,"op":"remove"}]') as Operation[];
  assert.throws(() => applyPatch({ hull: 1 }, operations, anywhere), refused(nothingAt('/mast')));
});

/** RFC 6902, A.15, and other pairs that a careless comparison takes for equal. */
const unequal: [there: unknown, asked: unknown][] = [
  [10, '10'],
  [0, false],
  [null, false],
  [null, {}],
  [{}, null],
  [[], {}],
  [{}, []],
  [{ length: 0 }, []],
  [{ 0: 'a', length: 1 }, ['a']],
  [['a'], { 0: 'a' }],
  [{ a: 1 }, { b: 1 }],
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: 1, b: 2 }, { a: 1 }],
  [{ a: 1 }, { a: 1, constructor: 2 }],
  [
    [1, 2],
    [2, 1],
  ],
];
for (const [there, value] of unequal) {
  test(`test tells ${JSON.stringify(there)} from ${JSON.stringify(value)}`, () => {
    const failed = refused('0/value: the test failed, /a has another value');
    assert.throws(() => applyPatch({ a: there }, [{ op: 'test', path: '/a', value }], anywhere), failed);
  });
}

test('a refusal names the first operation that cannot be done', () => {
  const operations: Operation[] = [
    { op: 'add', path: '/mast', value: 1 },
    { op: 'remove', path: '/sail' },
    { op: 'remove', path: '/keel' },
  ];
  assert.throws(() => applyPatch(list, operations, anywhere), refused('1/path: there is nothing at /sail'));
});
