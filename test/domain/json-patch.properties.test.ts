/** What holds for every document and every patch. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { applyPatch, type Operation } from '#domain/json-patch.ts';
import { Problem } from '#domain/problems.ts';

const anywhere = { mayName: /^/ };
const patched = (document: unknown, operations: readonly Operation[]) => applyPatch(document, operations, anywhere);

/**
 * Names that code takes for something else, and any; `__proto__` alone is no name to a patch. None that JSON writes with
 * a backslash: once V8 has seen a name that has one, `JSON.parse` reads some others as that name (nodejs/node#63785).
 */
const name = fc.oneof(
  fc.constantFrom('', 'a', 'b', '0', '1', '01', '-', 'm~n', 'p/q', '~1', 'toString', 'length', 'constructor'),
  fc.string({ maxLength: 3 }).filter((text) => !/["\\]/.test(text)),
);
// Adding 0 turns -0, which JSON cannot tell apart from 0, into 0.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const scalar = fc.oneof(fc.constant(null), fc.boolean(), fc.integer({ min: -2, max: 2 }), number, fc.string());
const { json, container } = fc.letrec<{ json: unknown; container: unknown }>((tie) => ({
  json: fc.oneof({ maxDepth: 4, depthSize: 'medium' }, scalar, { arbitrary: tie('container'), weight: 2 }),
  container: fc.oneof(
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(name, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

type Members = Record<string, unknown>;
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];
const below = (pointer: string, key: string) => `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

interface Place {
  readonly pointer: string;
  readonly value: unknown;
}

/** Every place of a document, the document itself first. */
const placesOf = (value: unknown, pointer = ''): Place[] => [
  { pointer, value },
  ...entriesOf(value).flatMap(([key, child]) => placesOf(child, below(pointer, key))),
];

/** The simplest patch that turns one value into another. It knows nothing of the code under test. */
function difference(from: unknown, to: unknown, path = ''): Operation[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (isObject(from) && isObject(to)) return differenceOfObjects(from, to, path);
  if (Array.isArray(from) && Array.isArray(to)) return differenceOfLists(from, to, path);
  return [{ op: 'replace', path, value: to }];
}

const differenceOfObjects = (from: Members, to: Members, path: string): Operation[] => [
  ...Object.keys(from)
    .filter((key) => !Object.hasOwn(to, key))
    .map((key): Operation => ({ op: 'remove', path: below(path, key) })),
  ...Object.entries(to).flatMap(([key, value]): Operation[] =>
    Object.hasOwn(from, key)
      ? difference(from[key], value, below(path, key))
      : [{ op: 'add', path: below(path, key), value }],
  ),
];

const differenceOfLists = (from: unknown[], to: unknown[], path: string): Operation[] => [
  ...from.slice(to.length).map((): Operation => ({ op: 'remove', path: `${path}/${to.length}` })),
  ...to.slice(0, from.length).flatMap((value, index) => difference(from[index], value, `${path}/${index}`)),
  ...to.slice(from.length).map((value): Operation => ({ op: 'add', path: `${path}/-`, value })),
];

const somePlace = (document: unknown) => fc.constantFrom(...placesOf(document));

const objectsIn = (value: unknown): object[] =>
  placesOf(value)
    .map((place) => place.value)
    .filter((inner): inner is object => typeof inner === 'object' && inner !== null);

/** Operations that the document allows, as long as the ones before left their places, and some that it does not. */
function operationsOn(document: unknown): fc.Arbitrary<Operation[]> {
  const containers = placesOf(document).filter(({ value }) => objectsIn(value)[0] === value);
  const there = somePlace(document).map((place) => place.pointer);
  const free = fc
    .tuple(fc.constantFrom(...containers), name)
    .map(([{ pointer, value }, key]) => below(pointer, Array.isArray(value) ? '0' : key));
  const operation = fc.oneof(
    fc.tuple(free, json).map(([path, value]): Operation => ({ op: 'add', path, value })),
    fc.tuple(there, json).map(([path, value]): Operation => ({ op: 'replace', path, value })),
    there.map((path): Operation => ({ op: 'remove', path })),
    somePlace(document).map(({ pointer, value }): Operation => ({ op: 'test', path: pointer, value })),
    fc.tuple(there, free).map(([from, path]): Operation => ({ op: 'move', from, path })),
    fc.tuple(there, free).map(([from, path]): Operation => ({ op: 'copy', from, path })),
    fc.tuple(there, name).map(([path, key]): Operation => ({ op: 'remove', path: below(path, key) })),
  );
  return fc.array(operation, { minLength: 1, maxLength: 5 });
}
const documentAndOperations = container.chain((document) => fc.tuple(fc.constant(document), operationsOn(document)));

test('the document and the operations are never changed, and no two places of the result are one object', () => {
  fc.assert(
    fc.property(documentAndOperations, ([document, operations]) => {
      const [documentBefore, operationsBefore] = structuredClone([document, operations]);
      for (const given of objectsIn([document, operations])) Object.freeze(given);
      const result = resultOrRefusal(document, operations);
      assert.deepEqual(document, documentBefore);
      assert.deepEqual(operations, operationsBefore);
      const made = objectsIn(result);
      assert.equal(new Set(made).size, made.length);
    }),
    { numRuns: 250 },
  );
});

/** Anything but a refusal of the patch is a fault and passes through. */
function resultOrRefusal(document: unknown, operations: readonly Operation[]): unknown {
  try {
    return patched(document, operations);
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'patch_invalid', String(error));
    return undefined;
  }
}

test('a patch is as its operations one after the other', () => {
  fc.assert(
    fc.property(documentAndOperations, ([document, operations]) => {
      const oneByOne = () =>
        operations.reduce<unknown>((current, operation) => patched(current, [operation]), document);
      const whole = resultOrRefusal(document, operations);
      if (whole === undefined) assert.throws(oneByOne, { code: 'patch_invalid' });
      else assert.deepEqual(oneByOne(), whole);
    }),
    { numRuns: 200 },
  );
});

test('one operation that cannot be done refuses all of them and is named', () => {
  fc.assert(
    fc.property(json, json, json, (document, first, second) => {
      const before = difference(document, first);
      const operations: Operation[] = [
        ...before,
        { op: 'remove', path: '/no/such/place' },
        ...difference(first, second),
      ];
      const snapshot = structuredClone(document);
      const message = `${before.length}/path: there is nothing at /no/such/place`;
      assert.throws(() => patched(document, operations), { code: 'patch_invalid', message });
      assert.deepEqual(document, snapshot);
    }),
  );
});

test('add then remove gives back the document', () => {
  const cases = container.chain((document) =>
    fc.record({
      document: fc.constant(document),
      place: fc.constantFrom(...placesOf(document).filter(({ value }) => objectsIn(value)[0] === value)),
      index: fc.nat(),
      key: name,
      value: json,
    }),
  );
  fc.assert(
    fc.property(cases, ({ document, place, index, key, value }) => {
      const isList = Array.isArray(place.value);
      const free = isList
        ? String(index % (place.value.length + 1))
        : `${key}${'+'.repeat(1 + longestName(place.value))}`;
      const path = below(place.pointer, free);
      const added = patched(document, [{ op: 'add', path, value }]);
      assert.deepEqual(
        patched(added, [
          { op: 'test', path, value },
          { op: 'remove', path },
        ]),
        document,
      );
      assert.equal(placesOf(added).length, placesOf(document).length + placesOf(value).length);
    }),
  );
});

const longestName = (value: unknown) => Math.max(0, ...entriesOf(value).map(([key]) => key.length));

test('a patch made of the difference turns any document into any other', () => {
  fc.assert(
    fc.property(json, json, (from, to) => assert.deepEqual(patched(from, difference(from, to)), to)),
    { numRuns: 250 },
  );
});

test('test of what is there passes, and of anything else fails', () => {
  const cases = json.chain((document) => fc.tuple(fc.constant(document), somePlace(document), json));
  fc.assert(
    fc.property(cases, ([document, { pointer, value }, other]) => {
      assert.deepEqual(patched(document, [{ op: 'test', path: pointer, value }]), document);
      const tested = () => patched(document, [{ op: 'test', path: pointer, value: other }]);
      if (isDeepStrictEqual(value, other)) assert.deepEqual(tested(), document);
      else assert.throws(tested, { code: 'patch_invalid', message: /^0\/value: the test failed/ });
    }),
    { numRuns: 200 },
  );
});
