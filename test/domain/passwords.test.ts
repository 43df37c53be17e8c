import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireStrong } from '#domain/passwords.ts';
import { Problem } from '#domain/problems.ts';

const own = ['Grace Brewster Hopper', 'ghopper@navy.example'];
const refusal = (password: string): string | undefined => {
  try {
    requireStrong(password, own);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'password_weak');
    return error.message;
  }
};

const tooShort = 'The password must have at least 12 characters';
const common = 'The password is one that attackers try first; choose another';

for (const password of ['', 'x', 'xk7pq9vbm2r', 'elevenchars']) {
  test(`too short: ${JSON.stringify(password)}`, () => assert.equal(refusal(password), tooShort));
}

/** Each is in public lists of the passwords that people use most, or is one of those with the usual additions. */
const commonOnes = [
  ...['password1234', 'Password@123', 'P@ssw0rd1234', 'Passw0rd!2024', 'passwordpassword', 'password password'],
  ...['123456789012', '123456654321', '123456123456', '123123123123', '111111111111', 'aaaaaaaaaaaa', '121212121212'],
  ...['abcdefghijkl', 'abcabcabcabc', 'Aa@123456789', '123456qwerty', 'qwerty123456', 'qwertyuiop[]'],
  ...['1q2w3e4r5t6y', 'q1w2e3r4t5y6', '1qaz2wsx3edc', '123qweasdzxc', 'qweqweqweqwe', 'qwertyuiopasdfghjkl'],
  ...['administrator', 'admintelecom', 'adminadmin12', 'letmein12345', 'Welcome12345', 'changeme1234', 'iloveyou1234'],
  ...['theworldinyourhand', '111222tianya', 'thisismypassword', 'correcthorsebatterystaple', 'Summer2024!!'],
  '            ',
];
for (const password of commonOnes) {
  test(`common: ${JSON.stringify(password)}`, () => assert.equal(refusal(password), common));
}

/** The person's own name and address, with hardly anything else. */
const ownWords = [
  'gracehopper123',
  'GraceHopper!!!',
  'ghopper@navy.example',
  'hopperhopper',
  'brewster1906hopper',
  'navyghopper12',
];
for (const password of ownWords) {
  test(`made of the person’s own words: ${password}`, () => assert.equal(refusal(password), common));
}

test('the words of somebody else are no reason to refuse', () => {
  assert.doesNotThrow(() => requireStrong('gracehopper7x', ['Ada Lovelace', 'ada@example.com']));
});

/** Only the form that is hashed counts: full-width and mathematical letters become plain ones there. */
const disguised: [password: string, plain: string, message: string][] = [
  ['ｐａｓｓｗｏｒｄ１２３４', 'password1234', common],
  ['𝗽𝗮𝘀𝘀𝘄𝗼𝗿𝗱𝟭𝟮𝟯𝟰', 'password1234', common],
  ['𝔵𝔨𝔭𝔮𝔳𝔟', 'xkpqvb', tooShort],
];
for (const [password, plain, message] of disguised) {
  test(`${password} is as weak as ${plain}, which is what is hashed`, () => {
    assert.equal(password.normalize('NFKC'), plain);
    assert.equal(refusal(password), message);
  });
}

const strong = [
  ...['xk7pq9vbm2rt', 'nine violet kites drift', 'purple lighthouse over tea', 'Vier grüne Möwen schweigen'],
  ...[
    'пять тихих голубых волков',
    '四匹の静かな青い狼が山で眠る',
    'password-of-nine-violet-kites',
    '😀 nine violet kites 😀',
  ],
  ...['K#9v!Lq2@zW5', 'hopper but with violet kites', `${'x'.repeat(10)}k7pq9vbm2rt`, ' leading and trailing kites '],
];
for (const password of strong) {
  test(`strong: ${password}`, () => assert.equal(refusal(password), undefined));
}

/** The list itself is the server’s; `test/accounts/passwords.test.ts` asks it. */
for (const [password, isRefused] of [
  ['leavemealone', true],
  ['LeaveMeAlone', true],
  ['leavemealone!19', true],
  ['1leavemealone!9', true],
  ['leavemealone!197', false],
  ['leave-me-alone', false],
] as const) {
  test(`${password} is ${isRefused ? 'as weak as' : 'stronger than'} leavemealone, once that has leaked`, () => {
    const judge = () => requireStrong(password, own, (text) => text === 'leavemealone');
    if (isRefused) assert.throws(judge, { message: common });
    else assert.doesNotThrow(judge);
  });
}
