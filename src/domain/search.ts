/** Finding objects of all projects by a few words, some of them mistyped. */
import { type Static, Type } from 'typebox';
import { OneOf, Reference } from './schema.ts';

export const searchKinds = ['flag', 'segment', 'environment', 'project'] as const;
export type SearchKind = (typeof searchKinds)[number];

export const Found = Type.Object({
  kind: OneOf(searchKinds),
  name: Type.String(),
  project: Reference,
});
export type Found = Static<typeof Found>;

const maxWords = 4;
export const maxFound = 40;

/** More words than `maxWords` are ignored. */
export const parseWords = (text: string): string[] =>
  text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, maxWords);

/** How many letters of a word may be wrong, missing, superfluous or swapped. */
export const typosOf = (word: string): number => (word.length < 5 ? 0 : word.length < 8 ? 1 : 2);

/**
 * Parts of the word, of which a name that it was meant for contains at least one: each typo spoils at most one part. Two
 * swapped letters would spoil both parts that they belong to, so a letter is left out between parts.
 */
export function partsOf(word: string): string[] {
  const count = typosOf(word) + 1;
  if (count === 1) return [word];
  const length = (word.length - (count - 1)) / count;
  return Array.from({ length: count }, (_, index) =>
    word.slice(Math.round(index * (length + 1)), Math.round(index * (length + 1) + length)),
  );
}

/**
 * The names that contain every word, or come closest to it, best first. A word may also be part of the name of the
 * project.
 */
export function rank(asked: readonly string[], candidates: readonly Found[]): Found[] {
  const words = asked.map((word) => word.toLowerCase());
  return candidates
    .map((found) => ({ found, typos: typosIn(words, found), start: startOf(words, found.name.toLowerCase()) }))
    .filter(({ typos }) => typos !== undefined)
    .sort(
      (a, b) =>
        (a.typos ?? 0) - (b.typos ?? 0) ||
        a.start - b.start ||
        a.found.name.length - b.found.name.length ||
        (a.found.name < b.found.name ? -1 : 1),
    )
    .slice(0, maxFound)
    .map(({ found }) => found);
}

/** 0: a word is the start of the name; 1: it is within; 2: the words are those of the project. */
function startOf(words: readonly string[], name: string): number {
  if (words.some((word) => name.startsWith(word))) return 0;
  return words.some((word) => name.includes(word)) ? 1 : 2;
}

/** Undefined if a word has too many. */
function typosIn(words: readonly string[], { name, project }: Found): number | undefined {
  let sum = 0;
  for (const word of words) {
    const typos = Math.min(distance(word, name.toLowerCase()), distance(word, project.name.toLowerCase()));
    if (typos > typosOf(word)) return undefined;
    sum += typos;
  }
  return sum;
}

/** How many typos lead from the word to the part of the text that is most like it. */
export function distance(word: string, text: string): number {
  if (text.includes(word)) return 0;
  let before: number[] = [];
  let row = new Array<number>(text.length + 1).fill(0);
  for (let i = 1; i <= word.length; i++) {
    const next = [i];
    for (let j = 1; j <= text.length; j++) {
      const isSame = word[i - 1] === text[j - 1];
      const isSwapped = word[i - 1] === text[j - 2] && word[i - 2] === text[j - 1];
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (isSame ? 0 : 1),
          i > 1 && j > 1 && isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  return Math.min(...row);
}
