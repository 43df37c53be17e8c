/** Password rules. Hashing is in `security/`. */
import { Type } from 'typebox';
import { refuse } from './problems.ts';

export const Password = Type.String({ maxLength: 1000, description: '12 characters or more, and not a common one' });

const shortest = 12;

/** Parts of common passwords of this length; lists of leaked passwords consist almost entirely of these. */
const commonParts = (
  'password passwort passwd passw0rd motdepasse contrasena qwerty qwertz azerty qwertyuiop asdfgh asdfghjkl zxcvbn ' +
  'zxcvbnm qazwsx 1q2w3e 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4 q1w2e3r4t5y6 1qaz2wsx qwe asd zxc tianya telecom zaq12wsx cde3 liverpool chelsea arsenal barcelona ' +
  'inyourhand letmein letme welcome iloveyou loveyou admin administrator root login master ' +
  'dragon monkey football baseball basketball soccer superman batman spiderman princess sunshine shadow trustno1 ' +
  'whatever starwars computer internet secret topsecret changeme default burgee feature flags flag abc abcd abcde ' +
  'abcdef test tester testing user guest hello world love freedom michael charlie jordan jennifer jessica daniel ' +
  'summer winter spring autumn monday friday january december google facebook samsung apple microsoft please access ' +
  'service system server company manager security private example correct horse battery staple mypass my the is'
).split(' ');

/** The form that is checked and hashed: keyboards encode some characters in several ways. */
export const normalized = (password: string): string => password.normalize('NFKC');

/**
 * Refuses a password that is too short or easily guessed. `words` are the user's name and email address. Only the
 * server passes `isLeaked`, which takes lower-case text: the list is too large for a browser.
 */
export function requireStrong(
  typed: string,
  words: readonly string[],
  isLeaked: (text: string) => boolean = () => false,
): void {
  const password = normalized(typed);
  refuse('password_weak', password.length < shortest ? [`The password must have at least ${shortest} characters`] : []);
  refuse(
    'password_weak',
    isCommon(password, words) || isNearlyLeaked(password, isLeaked)
      ? ['The password is one that attackers try first; choose another']
      : [],
  );
}

/** A leaked password with fewer than four extra characters around it counts as leaked, as below. */
function isNearlyLeaked(password: string, isLeaked: (text: string) => boolean): boolean {
  const text = password.toLowerCase();
  for (let before = 0; before < 4; before += 1) {
    for (let after = 0; before + after < 4; after += 1) {
      if (isLeaked(text.slice(before, text.length - after))) return true;
    }
  }
  return false;
}

/** A password is common if almost nothing is left without common words, the user's words, sequences and years. */
function isCommon(password: string, words: readonly string[]): boolean {
  const own = words.flatMap((word) => word.toLowerCase().split(/[^\p{L}\d]+/u)).filter((word) => word.length >= 3);
  const parts = [...commonParts, ...own].sort((a, b) => b.length - a.length);
  let rest = password.toLowerCase().replaceAll('@', 'a').replaceAll('$', 's');
  for (const part of parts) rest = rest.replaceAll(part, '');
  rest = rest.replaceAll(/(?:19|20)\d\d/g, '').replaceAll(/[^\p{L}\d]/gu, '');
  return withoutRuns(rest.replace(/^(.{1,4}?)\1+$/su, '$1')).length < 4;
}

/** Removes characters that continue a sequence: repeated, or the next one up or down, as in `aaa`, `123`, `321`. */
const withoutRuns = (text: string): string =>
  text.replaceAll(/./gsu, (character, index: number) =>
    index > 0 && Math.abs(text.charCodeAt(index) - text.charCodeAt(index - 1)) <= 1 ? '' : character,
  );
