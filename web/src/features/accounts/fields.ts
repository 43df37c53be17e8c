/** Rules for fields shared by the account pages. The domain decides which passwords are strong. */
import { requireStrong } from '#domain/passwords.ts';
import { sentence } from '../../kit/explain.ts';
import type { FieldRule } from '../../kit/form.ts';

const startsWith = (word: string) => (complaint: string) => (complaint.startsWith(`${word} `) ? complaint : undefined);

export const nameRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter your name.' : undefined),
  claim: (complaint) => startsWith('name')(complaint) && 'This name cannot be used.',
};

export const emailRule: FieldRule = {
  check: (value, input) => {
    if (value.trim() === '') return 'Enter your email address.';
    return input?.validity.typeMismatch ? 'Not a valid email address.' : undefined;
  },
  claim: (complaint) => {
    if (startsWith('email')(complaint)) return 'Not a valid email address.';
    return /^User \S+ already exists$/.test(complaint) ? sentence(complaint) : undefined;
  },
};

/** The existing password. */
export const currentPasswordRule: FieldRule = {
  check: (value) => (value === '' ? 'Enter your password.' : undefined),
  claim: (complaint) => (complaint.startsWith('Current password') ? 'Incorrect password.' : undefined),
};

/** A new password. `words` are the person's own: name and email. */
export const newPasswordRule = (words: readonly string[]): FieldRule => ({
  check: (value) => (value === '' ? 'Choose a password.' : weaknessOf(value, words)),
  claim: (complaint) => (/^(the )?password\b/i.test(complaint) ? sentence(complaint) : undefined),
});

/** Why a new password is too weak, or undefined. */
export function weaknessOf(password: string, words: readonly string[]): string | undefined {
  try {
    requireStrong(password, words);
    return undefined;
  } catch (refusal) {
    return sentence((refusal as Error).message);
  }
}
