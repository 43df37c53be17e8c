/** Tells regular expressions that cannot take long from those that may take forever, without running them. */
import { matchesPattern } from './match.ts';

/**
 * An upper bound for the steps of a backtracking engine on a text of this length. Each quantifier can take every number
 * of characters, from every start, and each alternative can be tried for every choice before it. There is no bound for a
 * quantified group, which can try what is in it again for each repetition, nor for a back reference.
 */
export function stepsOf(pattern: string): (length: number) => number {
  const plain = pattern
    .replace(/\\[\s\S]/g, 'x')
    .replace(/\[[^\]]*]/g, 'x')
    .replace(/\(\?(?:[:=!]|<[=!]|<[^>]*>)/g, '(');
  if (/\)[*+?{]/.test(plain) || /\\[1-9k]/.test(pattern)) return () => Number.POSITIVE_INFINITY;
  const quantifiers = plain.match(/[*+?{]/g)?.length ?? 0;
  const alternatives = plain.match(/\|/g)?.length ?? 0;
  return (length) => (length + 1) ** (quantifiers + 1) * 2 ** alternatives * pattern.length;
}

/** Less than a millisecond. */
const fewSteps = 100_000;

/** Undefined if it may take long. Patterns that this engine does not support match nothing. */
export const matchesIfQuick = (pattern: string, text: string): boolean | undefined =>
  stepsOf(pattern)(text.length) > fewSteps ? undefined : matchesPattern(pattern, text);
