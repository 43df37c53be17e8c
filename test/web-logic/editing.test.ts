/** Whatever is edited, what was valid stays valid, and what nobody touched stays as it was. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkTargeting, dependenciesOf, type Targeting } from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { checkMatcher, type Matcher, matcherKindOf, matcherTypes } from '#domain/definitions/matchers.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import {
  changeAttribute,
  changeMatcherType,
  changeValue,
  changeVerb,
  newMatcher,
  verbOf,
} from '../../src/domain/definitions/edit-matchers.ts';
import {
  addMatcher,
  addRule,
  duplicateRule,
  moveRule,
  removeMatcher,
  removeRule,
  setMatcher,
} from '../../src/domain/definitions/edit-rules.ts';
import {
  addTreatment,
  changeTreatment,
  freeTreatmentName,
  removeTreatment,
  renameTreatment,
  setKeys,
  usesOfTreatment,
} from '../../src/domain/definitions/edit-treatments.ts';
import { verbWords } from '../../web/src/targeting/matcher-words.ts';
import { targeting } from '../domain/changed-definitions.ts';
import { validMatchers } from '../domain/valid-definitions.ts';
import { aDefinition } from '../support/build.ts';

const complaintsAbout = (edited: Targeting): string[] =>
  checkTargeting(edited, {
    flag: 'gull',
    existingFlags: new Set(dependenciesOf(edited)),
    dependentFlags: new Set(),
  });
function requireValid(edited: Targeting): void {
  assert.deepEqual(complaintsAbout(edited), []);
  assert.deepEqual(parseTargeting(edited), edited, 'the server reads it as it is');
}
const place = fc.nat(5);

test('a new treatment has a name of its own and changes nothing for anybody', () => {
  fc.assert(
    fc.property(targeting, (before) => {
      const name = freeTreatmentName(before);
      const after = addTreatment(before, name);
      requireValid(after);
      assert.deepEqual(usesOfTreatment(after, name), []);
      assert.deepEqual(removeTreatment(after, name), before);
    }),
  );
});

test('a treatment can go, and nothing speaks of it any more', () => {
  fc.assert(
    fc.property(targeting, place, (before, at) => {
      const name = before.treatments[at % before.treatments.length]?.name ?? '';
      const after = removeTreatment(before, name);
      requireValid(after);
      assert.deepEqual(
        usesOfTreatment(after, name),
        before.treatments.length === 1 ? usesOfTreatment(before, name) : [],
      );
    }),
  );
});

test('a definition keeps its last treatment', () => {
  const only = parseTargeting({ ...aDefinition(), treatments: [{ name: 'off' }] });
  assert.equal(removeTreatment(only, 'off'), only);
});

test('a treatment is renamed everywhere, and back again', () => {
  fc.assert(
    fc.property(targeting, place, (before, at) => {
      const name = before.treatments[at % before.treatments.length]?.name ?? '';
      const renamed = renameTreatment(before, name, 'a-name-that-is-new');
      requireValid(renamed);
      assert.equal(differencesBetween(before, renamed).length, 1);
      assert.deepEqual(renameTreatment(renamed, 'a-name-that-is-new', name), before);
    }),
  );
});

test('two treatments cannot get the same name', () => {
  const start = parseTargeting(aDefinition());
  assert.equal(renameTreatment(start, 'on', 'off'), start);
});

test('the uses of a treatment are named', () => {
  const start = parseTargeting(
    aDefinition({
      treatments: [{ name: 'on', keys: ['ana'] }, { name: 'off' }],
      rules: [
        {
          buckets: [
            { treatment: 'on', size: 30 },
            { treatment: 'off', size: 70 },
          ],
          condition: { matchers: [{ type: 'IN_SEGMENT', string: 'staff' }] },
        },
      ],
      baselineTreatment: 'on',
    }),
  );
  assert.deepEqual(usesOfTreatment(start, 'on'), ['1 individual target', '30% of rule 1', 'baseline']);
  assert.deepEqual(usesOfTreatment(start, 'off'), ['70% of rule 1', '100% of everyone else', 'served when killed']);
});

test('empty texts and lists are none, as the server keeps them', () => {
  const start = parseTargeting(aDefinition({ treatments: [{ name: 'on', keys: ['ana'] }, { name: 'off' }] }));
  assert.deepEqual(setKeys(start, 'on', []).treatments[0], { name: 'on' });
  const described = changeTreatment(start, 'on', { description: 'new', configurations: '{}' });
  requireValid(described);
  assert.deepEqual(changeTreatment(described, 'on', { description: '', configurations: '' }), start);
});

test('rules are moved, copied and removed without touching the others', () => {
  fc.assert(
    fc.property(targeting, place, place, (before, from, to) => {
      const moved = moveRule(before, from, to);
      requireValid(moved);
      assert.deepEqual(moveRule(moved, to, from), before);
      const copied = duplicateRule(before, from);
      requireValid(copied);
      assert.deepEqual(removeRule(copied, from), before);
      requireValid(removeRule(before, from));
    }),
  );
});

test('a new rule gives what everyone else gets, and asks to be filled in', () => {
  fc.assert(
    fc.property(targeting, (before) => {
      const after = addRule(before);
      assert.deepEqual(after.rules.at(-1)?.buckets, before.defaultRule);
      assert.match(
        complaintsAbout(after).join('\n'),
        /^rules\/\d+\/condition\/matchers\/0\/strings must not be empty$/,
      );
      assert.deepEqual(removeRule(after, before.rules.length), before);
    }),
  );
});

test('a condition keeps its last matcher', () => {
  const start = addRule(parseTargeting(aDefinition()));
  const first = { rule: 0, matcher: 0 };
  assert.deepEqual(removeMatcher(start, first), start);
  assert.deepEqual(removeMatcher(addMatcher(start, 0), first), start);
  const matcher: Matcher = { type: 'BOOLEAN', attribute: 'beta', bool: true };
  requireValid(setMatcher(start, first, matcher));
});

for (const type of matcherTypes) {
  test(`a new ${type} lacks nothing but its attribute and its value`, () => {
    const { attribute, member } = matcherKindOf(type);
    const complaints = checkMatcher(
      attribute === 'required' ? changeAttribute(newMatcher(type), 'age') : newMatcher(type),
    );
    assert.ok(
      complaints.every((complaint) => complaint.startsWith(member) || complaint.includes(`${member}/`)),
      complaints.join(),
    );
  });

  test(`a valid matcher that becomes a ${type} has nothing that does not belong to it`, () => {
    const anyMatcher = fc.oneof(...validMatchers.map(({ matcher }) => matcher));
    fc.assert(
      fc.property(anyMatcher, (valid) => {
        const rule = { buckets: [{ treatment: 'off', size: 100 }], condition: { matchers: [valid] } };
        const [matcher] = parseTargeting(aDefinition({ rules: [rule] })).rules[0]?.condition.matchers ?? [];
        const changed = changeMatcherType(matcher as Matcher, type);
        assert.deepEqual(
          checkMatcher(changed).filter((complaint) => complaint.includes('does not belong')),
          [],
        );
        const { negate: _, ...same } = matcher as Matcher;
        if (same.type === type) assert.deepEqual(changed, same);
      }),
      { numRuns: 30 },
    );
  });
}

test('values that still mean something are kept when the type changes', () => {
  const atLeast: Matcher = { type: 'GREATER_THAN_OR_EQUAL_NUMBER', attribute: 'age', number: 18 };
  const between = changeMatcherType(atLeast, 'BETWEEN_NUMBER');
  assert.deepEqual(between, { type: 'BETWEEN_NUMBER', attribute: 'age', between: { from: 18, to: 18 } });
  assert.deepEqual(changeMatcherType(between, 'EQUAL_NUMBER'), { type: 'EQUAL_NUMBER', attribute: 'age', number: 18 });
  const list: Matcher = { type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro', 'team'] };
  assert.deepEqual(changeMatcherType(list, 'STARTS_WITH_STRING'), { ...list, type: 'STARTS_WITH_STRING' });
  assert.deepEqual(changeMatcherType(list, 'ON_DATE'), { type: 'ON_DATE', attribute: 'plan' });
  assert.deepEqual(changeMatcherType(list, 'IN_SEGMENT'), { type: 'IN_SEGMENT', string: '' });
});

test('a verb says whether a matcher is negated, and reads back as it was', () => {
  fc.assert(
    fc.property(fc.oneof(...validMatchers.map(({ matcher }) => matcher)), (valid) => {
      const rule = { buckets: [{ treatment: 'off', size: 100 }], condition: { matchers: [valid] } };
      const [matcher] = parseTargeting(aDefinition({ rules: [rule] })).rules[0]?.condition.matchers ?? [];
      if (!matcher) throw new Error('no matcher');
      const verb = verbOf(matcher);
      assert.equal(verb.startsWith('not '), matcher.negate ?? false);
      const { negate: _, ...same } = matcher;
      assert.deepEqual(changeVerb(matcher, verb), matcher.negate ? matcher : same);
      const opposite = matcher.negate ? verb.slice(4) : `not ${verb}`;
      assert.deepEqual(changeVerb(changeVerb(matcher, opposite), verb), matcher.negate ? matcher : same);
    }),
  );
});

test('a boolean is true or false, and one that is negated stays so until another verb is chosen', () => {
  const matcher: Matcher = { negate: true, type: 'BOOLEAN', attribute: 'beta', bool: true };
  assert.equal(verbOf(matcher), 'not BOOLEAN true');
  assert.equal(verbWords(matcher), 'is not true');
  assert.deepEqual(changeAttribute(matcher, 'staff'), { ...matcher, attribute: 'staff' });
  assert.deepEqual(changeVerb(matcher, 'BOOLEAN false'), { type: 'BOOLEAN', attribute: 'beta', bool: false });
  assert.equal(verbWords({ type: 'BOOLEAN', bool: false }), 'is false');
  assert.deepEqual(changeVerb(matcher, 'not IN_LIST_STRING'), {
    negate: true,
    type: 'IN_LIST_STRING',
    attribute: 'beta',
    strings: [],
  });
});

test('values come and go', () => {
  const matcher: Matcher = { type: 'EQUAL_NUMBER', attribute: 'age', number: 18 };
  assert.deepEqual(changeValue(matcher, 'number', undefined), { type: 'EQUAL_NUMBER', attribute: 'age' });
  assert.deepEqual(changeValue(matcher, 'number', 3), { ...matcher, number: 3 });
  assert.deepEqual(changeAttribute(matcher, ''), { type: 'EQUAL_NUMBER', number: 18 });
});
