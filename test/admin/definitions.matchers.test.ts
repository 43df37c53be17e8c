/** Every type of matcher: what it needs, what it refuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject } from '../support/build.ts';

const api = await startApi();

/** A definition in a project of its own, which also has the flag `needed`. */
async function aPath() {
  const project = await aProject(api);
  await aFlag(api, project, 'needed');
  return (await aDefinedFlag(api, project)).path;
}

const withMatchers = (...matchers: unknown[]) =>
  aDefinition({ rules: [{ buckets: [{ treatment: 'on', size: 100 }], condition: { combiner: 'AND', matchers } }] });

const between = { from: 1, to: 2 };
const range = { from: '1.0.0', to: '2.0.0-rc.1' };
const depends = { splitName: 'needed', treatments: ['on', 'off'] };

type Attribute = 'required' | 'optional' | 'none';
const kinds: [type: string, attribute: Attribute, value: Record<string, unknown>][] = [
  ['IN_SEGMENT', 'none', { string: 'a segment' }],
  ['IN_LIST_STRING', 'optional', { strings: ['a', 'b'] }],
  ['STARTS_WITH_STRING', 'optional', { strings: ['a'] }],
  ['ENDS_WITH_STRING', 'optional', { strings: ['a'] }],
  ['CONTAINS_STRING', 'optional', { strings: ['a'] }],
  ['MATCHES_STRING', 'optional', { string: '^a+(b|c)$' }],
  ['EQUAL_SET', 'required', { strings: ['a'] }],
  ['ANY_OF_SET', 'required', { strings: ['a'] }],
  ['ALL_OF_SET', 'required', { strings: ['a'] }],
  ['PART_OF_SET', 'required', { strings: ['a'] }],
  ['ON_DATE', 'required', { date: 1_650_000_000_000 }],
  ['ON_OR_AFTER_DATE', 'required', { date: 0 }],
  ['ON_OR_BEFORE_DATE', 'required', { date: 1_650_000_000_000 }],
  ['BETWEEN_DATE', 'required', { between: { from: 1_650_000_000_000, to: 1_660_000_000_000 } }],
  ['EQUAL_NUMBER', 'required', { number: 0 }],
  ['LESS_THAN_OR_EQUAL_NUMBER', 'required', { number: -7 }],
  ['GREATER_THAN_OR_EQUAL_NUMBER', 'required', { number: Number.MAX_SAFE_INTEGER }],
  ['BETWEEN_NUMBER', 'required', { between }],
  ['BOOLEAN', 'required', { bool: false }],
  ['IN_SPLIT', 'none', { depends }],
  ['EQUAL_TO_SEMVER', 'required', { string: '1.2.3' }],
  ['GREATER_THAN_OR_EQUAL_TO_SEMVER', 'required', { string: '1.2.3-rc.1' }],
  ['LESS_THAN_OR_EQUAL_TO_SEMVER', 'required', { string: '1.2.3+build.7' }],
  ['BETWEEN_SEMVER', 'required', { between: range }],
  ['IN_LIST_SEMVER', 'required', { strings: ['1.2.3', '2.0.0'] }],
];
/** One value for each member, to add where it does not belong. */
const values = { string: 'x', strings: ['x'], number: 1, date: 1, between, bool: true, depends };
const named = (attribute: Attribute) => (attribute === 'none' ? {} : { attribute: 'plan' });

/** The matchers are refused, naming their place, and leave neither a change nor an audit entry behind. */
async function allRefused(table: readonly [matcher: unknown, message: RegExp][]) {
  const path = await aPath();
  const before = (await api.get(path)).text;
  const actions = await api.recorded(async () => {
    for (const [matcher, message] of table) {
      const answer = await api.put(path, withMatchers({ type: 'IN_SEGMENT', string: 's' }, matcher));
      refused(answer, 400, new RegExp(`^rules/0/condition/matchers/1/?${message.source}`));
    }
  });
  assert.deepEqual(actions, []);
  assert.equal((await api.get(path)).text, before);
}

test('every type of matcher is taken with its members and answered the same', async () => {
  const path = await aPath();
  for (const [type, attribute, value] of kinds) {
    const forms = [
      { type, ...named(attribute), ...value },
      { negate: true, type, ...named(attribute), ...value },
    ];
    if (attribute === 'optional') forms.push({ type, ...value });
    for (const matcher of forms) {
      const { status, body, text } = await api.put(path, withMatchers(matcher));
      assert.equal(status, 200, text);
      assert.deepEqual(body.rules[0].condition.matchers, [matcher]);
      assert.deepEqual((await api.get(path)).body.rules[0].condition.matchers, [matcher]);
    }
  }
});

test('the member of a type is required', async () => {
  await allRefused(kinds.map(([type, attribute]) => [{ type, ...named(attribute) }, /.*required/]));
});

test('a member of another type is refused', async () => {
  await allRefused(
    kinds.flatMap(([type, attribute, value]) =>
      Object.entries(values)
        .filter(([member]) => !(member in value))
        .map(([member, other]): [unknown, RegExp] => [
          { type, ...named(attribute), ...value, [member]: other },
          new RegExp(`${member} does not belong to ${type}`),
        ]),
    ),
  );
});

test('an attribute is named where the type compares one, and only there', async () => {
  const required = kinds.filter(([, attribute]) => attribute === 'required');
  await allRefused(required.map(([type, , value]) => [{ type, ...value }, /attribute is required/]));
  await allRefused(required.map(([type, , value]) => [{ type, attribute: '', ...value }, /attribute is required/]));
  const none = kinds.filter(([, attribute]) => attribute === 'none');
  await allRefused(none.map(([type, , value]) => [{ type, attribute: 'plan', ...value }, /attribute does not belong/]));
});

test('an empty attribute is none, and negate is shown only when true', async () => {
  const path = await aPath();
  for (const [type, attribute, value] of kinds.filter(([, attribute]) => attribute !== 'required')) {
    const { body } = await api.put(path, withMatchers({ type, attribute: '', negate: false, ...value }));
    assert.deepEqual(body.rules?.[0].condition.matchers, [{ type, ...value }], `${type} ${attribute}`);
  }
});

test('an empty or null member of another type is none', async () => {
  const path = await aPath();
  const nothing = { string: '', strings: [], number: null, date: null, between: null, bool: null, depends: null };
  for (const [type, attribute, value] of kinds) {
    const { body, text } = await api.put(path, withMatchers({ ...nothing, type, ...named(attribute), ...value }));
    assert.deepEqual(body.rules?.[0].condition.matchers, [{ type, ...named(attribute), ...value }], text);
  }
});

test('a type that is not in the table is refused', async () => {
  const types = ['EQUAL_TO', 'in_segment', 'WHITELIST', 'ALL_KEYS', '', 7, null, undefined];
  await allRefused(types.map((type) => [{ type, string: 's' }, /type/]));
  await allRefused([
    ['IN_SEGMENT', / must be/],
    [null, / must be/],
  ]);
});

const notIntegers = [1.5, '1', true, [1], 2 ** 53];
/** For each member: values of the wrong type, and empty ones. */
const badValues: Record<string, unknown[]> = {
  string: ['', 7, ['a']],
  strings: [[], [7], 'a', { 0: 'a' }],
  number: notIntegers,
  date: notIntegers,
  between: [{}, { from: 1 }, { to: 1 }, { from: 1.5, to: 2 }, { from: '1', to: '2' }, [1, 2], 1],
  bool: ['true', 1],
  depends: [{}, 'needed', { splitName: 'needed' }, { ...depends, treatments: [] }, { ...depends, splitName: 7 }],
};

test('a value is of the right type, not empty, and a number or date is an integer', async () => {
  const table = kinds.flatMap(([type, attribute, value]) =>
    Object.keys(value).flatMap((member) =>
      (badValues[member] ?? []).map((bad): [Record<string, unknown>, RegExp] => [
        { type, ...named(attribute), [member]: bad },
        new RegExp(member),
      ]),
    ),
  );
  // The empty regular expression is one.
  await allRefused(table.filter(([matcher]) => matcher.type !== 'MATCHES_STRING' || matcher.string !== ''));
  await allRefused(['true', 1].map((negate) => [{ type: 'IN_SEGMENT', string: 's', negate }, /negate/]));
});

test('a regular expression must compile', async () => {
  const bad = ['[', '(a', '*', 'a{2,1}', '\\'];
  await allRefused(bad.map((string) => [{ type: 'MATCHES_STRING', string }, /string .*regular expression/]));
});

test('versions must be semantic versions', async () => {
  const attribute = 'version';
  const bad = ['1', '1.2', 'v1.2.3', '1.2.3.4', '1.2.3-', '1.2.x', ' 1.2.3', 'latest'];
  await allRefused(bad.map((string) => [{ type: 'EQUAL_TO_SEMVER', attribute, string }, /string .*version/]));
  await allRefused(bad.map((text) => [{ type: 'IN_LIST_SEMVER', attribute, strings: ['1.2.3', text] }, /strings/]));
  await allRefused(bad.map((to) => [{ type: 'BETWEEN_SEMVER', attribute, between: { from: '1.0.0', to } }, /between/]));
});

test('a segment need not exist', async () => {
  const { body } = await api.put(await aPath(), withMatchers({ type: 'IN_SEGMENT', string: 'not made yet' }));
  assert.equal(body.rules[0].condition.matchers[0].string, 'not made yet');
});

test('all matchers of a condition are kept, in order', async () => {
  const matchers = kinds.map(([type, attribute, value]) => ({ type, ...named(attribute), ...value }));
  const { body } = await api.put(await aPath(), withMatchers(...matchers));
  assert.deepEqual(body.rules[0].condition.matchers, matchers);
});
