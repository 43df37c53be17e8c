import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMatcher, Matcher, type MatcherType, matcherTypes } from '#domain/definitions/matchers.ts';
import { shapeOf } from '#domain/shapes.ts';

type Members = Record<string, unknown>;

const shape = shapeOf(Matcher, 'matcher');

/** Complaints about the shape first, as for a body; the rules are asked only when there are none. */
function complaintsAbout(matcher: Members): string[] {
  const complaints = shape.complaints(matcher);
  return complaints.length > 0 ? complaints : checkMatcher(matcher as Matcher);
}

/** A value for every member; each belongs to some types and is foreign to the others. */
const anyMember: Members = {
  string: 'a',
  strings: ['a'],
  number: 1,
  date: 1,
  between: { from: 1, to: 2 },
  bool: true,
  depends: { splitName: 'anchor', treatments: ['on'] },
};

interface Kind {
  readonly attribute: 'required' | 'optional' | 'none';
  readonly member: string;
  readonly valid: unknown[];
  /** Values of the member, each with its complaint. */
  readonly invalid: [value: unknown, complaint: string][];
}

const emptyStrings: Kind['invalid'][number] = [[], 'strings must not be empty'];
const notText: Kind['invalid'][number] = [[1], 'strings/0 must be string'];
const integerComplaints = (member: string): Kind['invalid'] => [
  [1.5, `${member} must be integer`],
  ['1', `${member} must be integer`],
  [2 ** 53, `${member} must be <= ${Number.MAX_SAFE_INTEGER}`],
  [-(2 ** 53), `${member} must be >= ${Number.MIN_SAFE_INTEGER}`],
];
const aRange = (complaint: string, ...bad: unknown[]): Kind['invalid'] => [
  [{ from: 1 }, 'between/to is required'],
  [{ to: 1 }, 'between/from is required'],
  [{ from: 1.5, to: 2 }, 'between/from must be either integer or string'],
  ...bad.map((value): [unknown, string] => [value, `between/from and between/to must be ${complaint}`]),
];

const listOf = (attribute: Kind['attribute']): Kind => ({
  attribute,
  member: 'strings',
  valid: [['a'], ['a', 'b'], ['']],
  invalid: [emptyStrings, notText],
});
const date: Kind = {
  attribute: 'required',
  member: 'date',
  valid: [0, 1_700_000_000_000, -1],
  invalid: integerComplaints('date'),
};
const number: Kind = {
  attribute: 'required',
  member: 'number',
  valid: [0, -1, Number.MAX_SAFE_INTEGER],
  invalid: integerComplaints('number'),
};
const integerRange: Kind = {
  attribute: 'required',
  member: 'between',
  valid: [
    { from: 1, to: 2 },
    { from: -5, to: -5 },
  ],
  invalid: aRange('integers', { from: '1', to: 2 }, { from: 1, to: 2 ** 53 }),
};
const version: Kind = {
  attribute: 'required',
  member: 'string',
  valid: ['1.2.3'],
  invalid: ['', '1.2', 'latest'].map((value) => [value, 'string must be a semantic version']),
};

const kinds: Record<MatcherType, Kind> = {
  IN_SEGMENT: {
    attribute: 'none',
    member: 'string',
    valid: ['crew'],
    invalid: [
      ['', 'string must not be empty'],
      [1, 'string must be string'],
    ],
  },
  IN_LIST_STRING: listOf('optional'),
  STARTS_WITH_STRING: listOf('optional'),
  ENDS_WITH_STRING: listOf('optional'),
  CONTAINS_STRING: listOf('optional'),
  MATCHES_STRING: {
    attribute: 'optional',
    member: 'string',
    valid: ['^a+$', '[0-9]{2}', '(?<year>\\d{4})'],
    invalid: ['(', '[z-a]', '*', 'a{2,1}', '\\'].map((value) => [value, 'string must be a regular expression']),
  },
  EQUAL_SET: listOf('required'),
  ANY_OF_SET: listOf('required'),
  ALL_OF_SET: listOf('required'),
  PART_OF_SET: listOf('required'),
  ON_DATE: date,
  ON_OR_AFTER_DATE: date,
  ON_OR_BEFORE_DATE: date,
  BETWEEN_DATE: integerRange,
  EQUAL_NUMBER: number,
  LESS_THAN_OR_EQUAL_NUMBER: number,
  GREATER_THAN_OR_EQUAL_NUMBER: number,
  BETWEEN_NUMBER: integerRange,
  BOOLEAN: { attribute: 'required', member: 'bool', valid: [true, false], invalid: [['true', 'bool must be boolean']] },
  IN_SPLIT: {
    attribute: 'none',
    member: 'depends',
    valid: [{ splitName: 'anchor', treatments: ['on', 'off'] }],
    invalid: [
      [{ splitName: 'anchor', treatments: [] }, 'depends/treatments must not be empty'],
      [{ splitName: 'anchor' }, 'depends/treatments is required'],
      [{ treatments: ['on'] }, 'depends/splitName is required'],
    ],
  },
  EQUAL_TO_SEMVER: version,
  GREATER_THAN_OR_EQUAL_TO_SEMVER: version,
  LESS_THAN_OR_EQUAL_TO_SEMVER: version,
  BETWEEN_SEMVER: {
    attribute: 'required',
    member: 'between',
    valid: [{ from: '1.2.3', to: '2.0.0' }],
    invalid: aRange('semantic versions', { from: 1, to: 2 }, { from: '1.2.3', to: '2.0' }),
  },
  IN_LIST_SEMVER: {
    attribute: 'required',
    member: 'strings',
    valid: [['1.2.3'], ['1.2.3', '2.0.0-rc.1']],
    invalid: [[], ['1.2.3', '2'], ['']].map((value) => [value, 'strings must be semantic versions, at least one']),
  },
};

test('every type of matcher has its table', () => assert.deepEqual(Object.keys(kinds), [...matcherTypes]));

test('an unknown type is refused', () => {
  for (const type of ['IN_LARGE_SEGMENT', 'in_segment', 'toString', '']) {
    assert.match(complaintsAbout({ type, string: 'crew' }).join(), /^type must be one of IN_SEGMENT, /);
  }
});

for (const [type, { attribute, member, valid, invalid }] of Object.entries(kinds)) {
  const named: Members = attribute === 'none' ? { type } : { type, attribute: 'age' };

  test(`${type} with ${member} is valid`, () => {
    for (const value of valid) assert.deepEqual(complaintsAbout({ ...named, [member]: value }), []);
    assert.deepEqual(complaintsAbout({ ...named, [member]: valid[0], negate: true }), []);
  });

  test(`${type}: its attribute is ${attribute}`, () => {
    const complaints = (value: unknown) =>
      complaintsAbout({ type, [member]: valid[0], ...(value === undefined ? {} : { attribute: value }) });
    const missing = attribute === 'required' ? [`attribute is required for ${type}`] : [];
    assert.deepEqual(complaints(undefined), missing);
    assert.deepEqual(complaints(''), missing);
    assert.deepEqual(complaints('age'), attribute === 'none' ? [`attribute does not belong to ${type}`] : []);
    assert.deepEqual(complaints('x'.repeat(256)), ['attribute must not have more than 255 characters']);
  });

  test(`${type} needs ${member}`, () => {
    assert.deepEqual(complaintsAbout(named), [`${member} is required for ${type}`]);
  });

  test(`${type} takes no member but ${member}`, () => {
    for (const foreign of Object.keys(anyMember).filter((name) => name !== member)) {
      const matcher = { ...named, [member]: valid[0], [foreign]: anyMember[foreign] };
      assert.deepEqual(complaintsAbout(matcher), [`${foreign} does not belong to ${type}`]);
    }
  });

  test(`${type} refuses a bad ${member}`, () => {
    for (const [value, complaint] of invalid) {
      assert.deepEqual(complaintsAbout({ ...named, [member]: value }), [complaint], JSON.stringify(value));
    }
  });
}

test('all complaints about a matcher are told', () => {
  assert.deepEqual(checkMatcher({ type: 'EQUAL_NUMBER', string: 'a', bool: true }), [
    'string does not belong to EQUAL_NUMBER',
    'bool does not belong to EQUAL_NUMBER',
    'attribute is required for EQUAL_NUMBER',
    'number is required for EQUAL_NUMBER',
  ]);
});

const isVersion = (string: string) => checkMatcher({ type: 'EQUAL_TO_SEMVER', attribute: 'app', string }).length === 0;

const versions = [
  '0.0.0',
  '4.17.21',
  '10.200.3000',
  '99999999999999999999.0.1',
  '5.0.0-beta',
  '5.0.0-beta.3.x-7',
  '5.0.0-0.7.0',
  '5.0.0--',
  '5.0.0-07a',
  '5.0.0+2026.11.15',
  // The SDKs read numbers with zeros before them as the numbers that they are, in both parts.
  '05.00.1',
  '5.0.0-rc.02',
  '5.0.0+007',
  '5.0.0-rc.2+sha-9f3c',
];
for (const text of versions) test(`${text} is a semantic version`, () => assert.ok(isVersion(text)));

const notVersions = [
  '',
  '5',
  '5.0',
  '5.0.0.0',
  'v5.0.0',
  '5.0.x',
  '5.-1.0',
  '5.0.0-',
  '5.0.0+',
  '5.0.0-beta..3',
  '5.0.0-beta.',
  '5.0.0-beta_3',
  '5.0.0+a+b',
  ' 5.0.0',
  '5.0.0\n',
  '٥.0.0',
  `5.0.0-${'x'.repeat(250)}`,
];
for (const text of notVersions) {
  test(`${JSON.stringify(text.slice(0, 20))} is no semantic version`, () => assert.ok(!isVersion(text)));
}
