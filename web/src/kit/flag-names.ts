/** Validates flag names with the rules of the API schema. */
import { checkFlagName, NewFlag } from '#domain/flags.ts';
import { sentence } from './explain.ts';
import type { FieldRule } from './form.ts';

const {
  pattern,
  minLength = 1,
  maxLength = 255,
} = NewFlag.properties.name as {
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
};
const allowed = new RegExp(pattern ?? '');

/** Why the name is invalid, as a sentence, or undefined. */
export function nameWeakness(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return 'Start with a letter.';
  if (!allowed.test(name)) return 'Only letters, digits, - _ and . after the first letter.';
  if (name.length < minLength) return `At least ${minLength} characters.`;
  if (name.length > maxLength) return `At most ${maxLength} characters.`;
  try {
    checkFlagName(name);
    return undefined;
  } catch (refusal) {
    return sentence((refusal as Error).message);
  }
}

export const flagNameRule: FieldRule = {
  check: (value) => (value === '' ? 'Enter a name.' : nameWeakness(value)),
  claim: (complaint) => (complaint.startsWith('name ') ? sentence(complaint) : undefined),
};
