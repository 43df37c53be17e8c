/** Semantic versions as SDKs parse and order them: more lenient than the standard, and including build metadata. */

export interface SemanticVersion {
  /** Without leading zeros, with pre-release and build metadata: equal versions have equal text. */
  readonly text: string;
  readonly numbers: readonly string[];
  readonly preRelease: readonly string[];
}

const isNumeric = (text: string): boolean => /^[0-9]+$/.test(text);
const withoutLeadingZeros = (text: string): string => text.replace(/^0+(?=\d)/, '');

/** Undefined if the text is not a version. */
export function parseVersion(text: string): SemanticVersion | undefined {
  const [release, metadata] = splitAt(text, '+');
  const [core, suffix] = splitAt(release, '-');
  const numbers = core.split('.');
  const preRelease = suffix === undefined ? [] : suffix.split('.');
  if (metadata === '' || numbers.length !== 3 || !numbers.every(isNumeric) || preRelease.includes('')) return undefined;
  const shortened = numbers.map(withoutLeadingZeros);
  const named = preRelease.map((part) => (isNumeric(part) ? withoutLeadingZeros(part) : part));
  const endings = [named.length > 0 ? `-${named.join('.')}` : '', metadata === undefined ? '' : `+${metadata}`];
  return { text: shortened.join('.') + endings.join(''), numbers: shortened, preRelease: named };
}

function splitAt(text: string, mark: string): [before: string, after: string | undefined] {
  const place = text.indexOf(mark);
  return place < 0 ? [text, undefined] : [text.slice(0, place), text.slice(place + 1)];
}

/** Negative, zero or positive, as for `sort`. Ignores build metadata. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  const byNumbers = compareParts(a.numbers, b.numbers);
  if (byNumbers !== 0) return byNumbers;
  const [aIsFinal, bIsFinal] = [a.preRelease.length === 0, b.preRelease.length === 0];
  if (aIsFinal !== bIsFinal) return aIsFinal ? 1 : -1;
  return compareParts(a.preRelease, b.preRelease) || a.preRelease.length - b.preRelease.length;
}

/** Compares the first parts that differ, among those that both have. */
function compareParts(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const result = comparePart(a[index] ?? '', b[index] ?? '');
    if (result !== 0) return result;
  }
  return 0;
}

/** Numbers may exceed the exact range, so the longer one is larger. Anything else compares by characters. */
function comparePart(a: string, b: string): number {
  if (isNumeric(a) && isNumeric(b) && a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
