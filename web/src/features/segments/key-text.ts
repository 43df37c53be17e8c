/** Keys from pasted text and files, and back to CSV. */
import { longestKey, maxKeysPerCall } from '#domain/segments.ts';

export interface InvalidKey {
  readonly line: number;
  readonly text: string;
  readonly why: string;
}

export interface ReadKeys {
  /** Each once. */
  readonly keys: readonly string[];
  readonly repeated: number;
  readonly invalid: readonly InvalidKey[];
}

/** One key per line, or separated by commas. */
export const readPasted = (text: string): ReadKeys =>
  keysFrom(text.split(lineEnd).map((line, index) => ({ line: index + 1, words: line.split(',') })));

export interface Columns {
  /** The names in the header, or else the first values. */
  readonly names: readonly string[];
  readonly hasHeader: boolean;
}

const lineEnd = /\r\n|\r|\n/;
const headerWords = /^(key|id|name|e-?mail|user|.*[_ -]?id|.*[_ -]?key)$/i;

/** The columns of a CSV file. A first line of words such as `user_id` is a header. */
export function columnsOf(text: string): Columns {
  const [first = ''] = withoutMark(text).split(lineEnd, 1);
  const names = cellsOf(first);
  return { names, hasHeader: names.some((name) => headerWords.test(name)) };
}

/** One key per line, in this column. */
export function readFile(text: string, { column, hasHeader }: { column: number; hasHeader: boolean }): ReadKeys {
  const lines = withoutMark(text).split(lineEnd);
  return keysFrom(
    lines.flatMap((line, index) =>
      index === 0 && hasHeader ? [] : [{ line: index + 1, words: [cellsOf(line)[column] ?? ''] }],
    ),
  );
}

/** A byte order mark, which some programs write. */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');

/** The cells of a line of CSV, perhaps in quotes. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );

function keysFrom(lines: readonly { readonly line: number; readonly words: readonly string[] }[]): ReadKeys {
  const keys = new Set<string>();
  const invalid: InvalidKey[] = [];
  let repeated = 0;
  for (const { line, words } of lines) {
    for (const key of words.map((word) => word.trim()).filter((word) => word !== '')) {
      const why = complaintAbout(key);
      if (why !== undefined) invalid.push({ line, text: key.slice(0, 1_000), why });
      else if (keys.has(key)) repeated += 1;
      else keys.add(key);
    }
  }
  return { keys: [...keys], repeated, invalid };
}

function complaintAbout(key: string): string | undefined {
  if (key.length > longestKey) return `${key.length} characters; the limit is ${longestKey}`;
  return key.includes('\ufffd') ? 'Not valid UTF-8' : undefined;
}

/** Ten steps, so that the progress moves, of as many keys as a call may have and not too few. */
export function inCalls(keys: readonly string[]): string[][] {
  const size = Math.min(maxKeysPerCall, Math.max(1_000, Math.ceil(keys.length / 10)));
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, index) =>
    keys.slice(index * size, (index + 1) * size),
  );
}

export const toCsv = (keys: readonly string[]): string =>
  keys.map((key) => `${/[",]/.test(key) ? `"${key.replaceAll('"', '""')}"` : key}\n`).join('');
