/** Small pools of values for random worlds, including edge cases, so that values collide often. */

const each = (text: string): string[] => text.split(' ');

const plainKeys = each('ana liu.wei qa-bot-1 0 -1 true 1.2.3 null A aa user@example.com');
const foreignKeys = each('ключ 用户 مفتاح 🦜 👩‍👩‍👧 e\u0301 é ß \u{10ffff} \ud83d');
const oddKeys = ['with space', "it's", '"', '\\', '\u0000', '__proto', 'x'.repeat(250)];
export const keys = [...plainKeys, ...foreignKeys, ...oddKeys];
/** Letters of one to four bytes, and those beside which the number of bytes changes. */
export const alphabets = [
  'abcdefghijklmnopqrstuvwxyz0123456789-',
  'äöüß\u007f\u0080\u07ff\u0800\u08ff\uffff',
  'абвгд',
  '日本語漢字',
  '🙂🦜🏳️',
].map((letters) => [...letters]);

export const words = [...each('a an ana A li . - 1 12 true 0 pro prö 用 🦜 wei bot-1 1,2 a,b'), '', ' '];
export const patterns = each(
  '^a a$ [0-9]+ (a|b)+ ^$ . \\d{2} a.a ^.{1,3}$ \\s 用|ключ (?<w>an)a ^(?!ana) \\u0061 [^a-z]',
);
export const standardSegments = each('beta staff none');
export const largeSegments = each('crowd sea');
export const ruleBasedSegments = each('pros locals guests gone');
export const attributes = each('plan age tags seen version données');
export const treatments = each('on off v1 v2 V.3-x_y 0');
export const configs = [undefined, undefined, '', '{"colour":"blue"}', '[]', 'null', '"é"', '0'];

const { MAX_SAFE_INTEGER: largest, MIN_SAFE_INTEGER: smallest } = Number;
export const numbers = [0, 1, -1, 2, 10, 12, 100, 59_999, 60_000, 2 ** 31, -(2 ** 31), largest - 1, largest, smallest];

export const minute = 60_000;
export const day = 86_400_000;
/** The start of a day, of our time. */
const midnight = 1_700_006_400_000;
const aroundMidnight = [0, 1, -1, minute, minute - 1, 12 * 60 * minute].map((distance) => midnight + distance);
/** A date is none that is further than 8.64e15 milliseconds from 1970. */
export const times = [...aroundMidnight, 0, 1, -1, day, day - 1, -day, 8.64e15, -8.64e15, 8.64e15 + 1, largest];

const finalVersions = '0.0.0 1.0.0 1.2.3 01.002.0003 2.0.0 10.0.0 9.99.999 99999999999999999999.0.1';
const earlyVersions = '1.2.3-rc.1 1.2.3-rc.2 1.2.3-rc.10 1.2.3-rc.1.1 1.2.3-alpha 1.2.3-1 1.2.3-01 1.2.3--';
const builtVersions = '1.2.3+a 1.2.3+b 1.2.3-rc.1+a 1.2.3+a-b.c';
export const versions = each(`${finalVersions} ${earlyVersions} ${builtVersions}`);
/** No versions, or such that only the SDKs take for one. */
export const oddVersions = [
  ...each('1 1.2 1.2.x 1.2.3.4 1.2.3- 1.2.3+ 1.2.3-a..b v1.2.3 -1.2.3 1.2.3+a+b 1.2.3-é'),
  ' 1.2.3',
];

const booleans = [true, false, ...each('TRUE False tRuE yes')];
const oddNumbers = [-0, 1.5, 0.1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const numbersAsText = [...each('1e3 0x10 12abc Infinity -0'), ' 12 ', '\t1\n'];
const lists = [
  [],
  [''],
  ['a'],
  ['a', 'a'],
  ['a', 'b'],
  [1, 2],
  ['1', 2],
  [true, null],
  [12],
  ['12'],
  [['a'], 'b'],
  [{}],
];

/** Values of every kind, for whatever attribute. */
export const anything: readonly unknown[] = [
  ...[undefined, null, {}, { a: 1 }, ...booleans, ...oddNumbers, ...numbersAsText, ...lists],
  ...[...words, ...numbers, ...times, ...versions, ...oddVersions, ...keys],
];
