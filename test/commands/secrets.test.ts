import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKeyTypes } from '#domain/api-keys.ts';
import { hashOf, mayBeKey, newKeyText, newToken } from '#security/secrets.ts';

/** Made by another program: the text `0123456789ABCDEFGHIJKLMNOPQRST` and the CRC32 of all before the checksum. */
const known = {
  admin: 'burgee_a_0123456789ABCDEFGHIJKLMNOPQRST3d16xz',
  server_side: 'burgee_s_0123456789ABCDEFGHIJKLMNOPQRST4AWyx1',
  client_side: 'burgee_c_0123456789ABCDEFGHIJKLMNOPQRST4fRF58',
};

for (const type of apiKeyTypes) {
  const start = known[type].slice(0, 'burgee_a_'.length);

  test(`a key of type ${type} is ${start}, 30 random characters and 6 of a checksum`, () => {
    const text = newKeyText(type);
    assert.match(text, new RegExp(`^${start}[0-9A-Za-z]{36}$`));
    assert.ok(mayBeKey(text));
  });

  test(`the checksum of a key of type ${type} is a CRC32 in base 62`, () => {
    assert.ok(mayBeKey(known[type]));
  });
}

test('a key with any character changed cannot be a key', () => {
  const text = known.admin;
  for (let place = 'burgee_a_'.length; place < text.length; place += 1) {
    const other = text[place] === 'x' ? 'y' : 'x';
    assert.ok(!mayBeKey(text.slice(0, place) + other + text.slice(place + 1)), `place ${place}`);
  }
});

for (const [what, text] of [
  ['a character less', known.admin.slice(0, -1)],
  ['a character more', `${known.admin}0`],
  ['nothing after its type', 'burgee_a_'],
  ['the letter of another type', known.admin.replace('_a_', '_s_')],
  ['its case changed', known.admin.toUpperCase().replace('BURGEE_A_', 'burgee_a_')],
] as const) {
  test(`a text like a key but with ${what} cannot be a key`, () => {
    assert.equal(mayBeKey(text), false);
  });
}

test('a text that does not look like our keys may be one that the operator supplied', () => {
  for (const text of ['a-key-that-the-operator-chose', 'burgee_key_of_ours', 'b9lnhf0123456789']) {
    assert.ok(mayBeKey(text), text);
  }
});

test('no two keys and no two tokens are alike', () => {
  const count = 2_000;
  assert.equal(new Set(Array.from({ length: count }, () => newKeyText('admin'))).size, count);
  assert.equal(new Set(Array.from({ length: count }, newToken)).size, count);
});

test('every character of base 62 occurs in keys', () => {
  const random = Array.from({ length: 500 }, () => newKeyText('admin').slice('burgee_a_'.length, -6)).join('');
  assert.equal(new Set(random).size, 62);
});

test('a token has 256 random bits and fits into a link', () => {
  const token = newToken();
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(Buffer.from(token, 'base64url').length, 32);
});

test('the hash of a secret is SHA-256 in hexadecimal', () => {
  assert.equal(hashOf('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
