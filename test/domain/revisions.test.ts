import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etagOf, nextRevision, requireMatch, withoutRevision } from '#domain/revisions.ts';

const failed = { code: 'precondition_failed', kind: 'precondition_failed' };

const current = { id: '0199a0f2-0000-7000-8000-00000000000a', revision: 7 };
const tag = etagOf(current);
const older = etagOf({ ...current, revision: 6 });
const newer = etagOf({ ...current, revision: 8 });

const forms: [form: string, ifMatch: string | undefined, holds: boolean][] = [
  ['not sent', undefined, true],
  ['the ETag', tag, true],
  ['the ETag between spaces', ` ${tag} `, true],
  ['any', '*', true],
  ['a list with the ETag', `${older}, ${tag}`, true],
  ['a list without spaces', `${older},${tag},${newer}`, true],
  ['an older ETag', older, false],
  ['a newer ETag', newer, false],
  ['a list of other ETags', `${older}, ${newer}`, false],
  ['the ETag of another thing', etagOf({ ...current, id: '0199a0f2-0000-7000-8000-00000000000b' }), false],
  ['the revision alone', '"7"', false],
  ['the ETag without quotes', tag.slice(1, -1), false],
  ['the ETag without its last quote', tag.slice(0, -1), false],
  ['the ETag with single quotes', tag.replaceAll('"', "'"), false],
  // RFC 9110, 13.1.1: If-Match compares strongly, and a weak tag never holds.
  ['a weak ETag', `W/${tag}`, false],
  ['a quoted star', '"*"', false],
  ['empty', '', false],
  ['a comma', ',', false],
];
for (const [form, ifMatch, holds] of forms) {
  test(`If-Match ${holds ? 'holds' : 'does not hold'}: ${form}`, () => {
    if (holds) requireMatch(ifMatch, current);
    else assert.throws(() => requireMatch(ifMatch, current), failed);
  });
}

test('no If-Match matches what does not exist', () => {
  for (const ifMatch of ['*', tag, '']) assert.throws(() => requireMatch(ifMatch, undefined), failed);
  requireMatch(undefined, undefined);
});

test('an ETag is one quoted word', () => assert.match(tag, /^"[-0-9a-z]+"$/));

test('a revision is the time, but always more than the last', () => {
  assert.equal(nextRevision(100, 7), 100);
  assert.equal(nextRevision(100, 100), 101);
  assert.equal(nextRevision(100, 200), 201);
});

test('the audit log keeps no revision', () => {
  assert.deepEqual(withoutRevision({ id: 'f1', revision: 7 }), { id: 'f1' });
});
