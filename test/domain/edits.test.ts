/** What holds for every edit of every definition. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Definition, type Targeting, toTargeting } from '#domain/definitions/definition.ts';
import { applyEdit, type ChangeEdit, type DefinitionEdit } from '#domain/definitions/edits.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { changedTargeting, targeting } from './changed-definitions.ts';
import { bodyWith } from './valid-definitions.ts';

const definitionWith = (decided: Targeting): Definition => ({
  id: 'a-flag',
  name: 'gull',
  environment: { id: 'an-environment', name: 'Production' },
  trafficType: { id: 'a-traffic-type', name: 'user' },
  ...decided,
  creationTime: 1,
  lastUpdateTime: 2,
  revision: 3,
});

/** A definition, and edits that it allows. */
const edited = fc.tuple(changedTargeting, bodyWith(0)).chain(([{ before, after }, body]) => {
  const edits: (ChangeEdit | { kind: 'delete' })[] = [
    { kind: 'replace', body },
    { kind: 'patch', operations: diffTargeting(before, after) },
    { kind: 'kill' },
    { kind: 'restore' },
    { kind: 'delete' },
  ];
  return fc.record({ before: fc.constant(definitionWith(before)), edit: fc.constantFrom(...edits) });
});

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}

const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

test('applying an edit changes neither the definition nor the edit, and gives the same result each time', () => {
  fc.assert(
    fc.property(edited, ({ before, edit }) => {
      deepFreeze([before, edit]);
      assert.deepEqual(applyEdit(before, edit), applyEdit(before, edit));
    }),
  );
});

test('an edit can be stored as JSON and applied later', () => {
  const create = bodyWith(0).map((body): DefinitionEdit => ({ kind: 'create', body }));
  fc.assert(
    fc.property(edited, ({ before, edit }) => {
      assert.deepEqual(applyEdit(before, throughJson(edit)), applyEdit(before, edit));
    }),
  );
  fc.assert(
    fc.property(create, (edit) => {
      if (edit.kind !== 'create') return;
      assert.deepEqual(applyEdit(undefined, throughJson(edit)), applyEdit(undefined, edit));
    }),
  );
});

test('replacing by what a patch leaves is the same as the patch', () => {
  fc.assert(
    fc.property(changedTargeting, ({ before, after }) => {
      const definition = definitionWith(before);
      const patched = applyEdit(definition, { kind: 'patch', operations: diffTargeting(before, after) });
      assert.deepEqual(applyEdit(definition, { kind: 'replace', body: patched }), patched);
      assert.deepEqual(patched, parseTargeting(after));
    }),
  );
});

test('a patch leaves what it does not name as it is, in the same place of memory', () => {
  fc.assert(
    fc.property(targeting, (decided) => {
      const before = definitionWith(decided);
      const patched = applyEdit(before, {
        kind: 'patch',
        operations: [{ op: 'replace', path: '/trafficAllocation', value: 7 }],
      });
      assert.deepEqual(patched, { ...decided, trafficAllocation: 7 });
      assert.equal(patched.rules, before.rules);
      assert.equal(patched.treatments, before.treatments);
    }),
  );
});

test('kill and restore change the switch alone, and doing either twice changes nothing more', () => {
  fc.assert(
    fc.property(targeting, fc.constantFrom('kill', 'restore'), (decided, kind) => {
      const after = applyEdit(definitionWith(decided), { kind });
      assert.deepEqual(after, { ...decided, killed: kind === 'kill' });
      assert.deepEqual(applyEdit(definitionWith(after), { kind }), after);
    }),
  );
});

test('a replacement that does not mention the switch leaves it as it is', () => {
  fc.assert(
    fc.property(targeting, bodyWith(0), (decided, { killed: _, ...body }) => {
      const before = definitionWith(decided);
      assert.equal(applyEdit(before, { kind: 'replace', body }).killed, before.killed);
    }),
  );
});

test('what is created from a definition is its targeting, and a deleted definition is gone', () => {
  fc.assert(
    fc.property(targeting, (decided) => {
      const before = definitionWith(decided);
      assert.deepEqual(applyEdit(undefined, { kind: 'create', body: before }), toTargeting(before));
      assert.equal(applyEdit(before, { kind: 'delete' }), undefined);
    }),
  );
});
