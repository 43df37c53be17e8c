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
  keysFrom(
    text
      .split(lineEnd)
      .map((line, index) => ({ line: index + 1, cells: line.split(',').map((cell) => ({ text: cell.trim() })) })),
  );

export interface Columns {
  /** The names in the header, or else the first values. */
  readonly names: readonly string[];
  readonly hasHeader: boolean;
  /** What the first line has between its cells: spreadsheets in some languages write semicolons. */
  readonly separator: Separator;
}

type Separator = ',' | ';' | '\t';

interface Cell {
  readonly text: string;
  readonly isQuoted?: boolean;
}

const lineEnd = /\r\n|\r|\n/;
const headerWords = /^(key|id|name|e-?mail|user|.*[_ -]?id|.*[_ -]?key)$/i;

/** The columns of a CSV file. A first line of words such as `user_id` is a header. */
export function columnsOf(text: string): Columns {
  const [first = ''] = withoutMark(text).split(lineEnd, 1);
  const separator = separators.find((one) => first.includes(one)) ?? ',';
  const names = cellsOf(first, separator).map(({ text }) => text);
  return { names, hasHeader: names.some((name) => headerWords.test(name)), separator };
}

/** One key per line, in this column. */
export function readFile(
  text: string,
  { column, hasHeader, separator }: Omit<Columns, 'names'> & { readonly column: number },
): ReadKeys {
  const lines = withoutMark(text).split(lineEnd);
  return keysFrom(
    lines.flatMap((line, index) =>
      index === 0 && hasHeader ? [] : [{ line: index + 1, cells: cellsOf(line, separator).slice(column, column + 1) }],
    ),
  );
}

/** A byte order mark, which some programs write. */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');

const separators: readonly Separator[] = [',', ';', '\t'];
/** Each begins with the separator, also the first: what can be empty at the start of a line would hide the next one. */
const cellPatterns: Readonly<Record<Separator, RegExp>> = {
  ',': /, *(?:"((?:[^"]|"")*)"|([^,]*))/g,
  ';': /; *(?:"((?:[^"]|"")*)"|([^;]*))/g,
  '\t': /\t *(?:"((?:[^"]|"")*)"|([^\t]*))/g,
};

/** The cells of a line of CSV, perhaps in quotes. */
const cellsOf = (line: string, separator: Separator): Cell[] =>
  [...`${separator}${line}`.matchAll(cellPatterns[separator])].map(([, quoted, plain = '']) => ({
    text: (quoted?.replaceAll('""', '"') ?? plain).trim(),
    isQuoted: quoted !== undefined,
  }));

function keysFrom(lines: readonly { readonly line: number; readonly cells: readonly Cell[] }[]): ReadKeys {
  const keys = new Set<string>();
  const invalid: InvalidKey[] = [];
  let repeated = 0;
  for (const { line, cells } of lines) {
    for (const cell of cells) {
      const { text } = cell;
      const why = complaintAbout(cell);
      if (why !== undefined) invalid.push({ line, text: text.slice(0, 1_000), why });
      else if (keys.has(text)) repeated += 1;
      else if (text !== '') keys.add(text);
    }
  }
  return { keys: [...keys], repeated, invalid };
}

function complaintAbout({ text, isQuoted }: Cell): string | undefined {
  if (text.length > longestKey) return `${text.length} characters; the limit is ${longestKey}`;
  if (text.includes('\ufffd')) return 'Not valid UTF-8';
  return !isQuoted && /[;\t]/.test(text) ? 'Two keys on one line' : undefined;
}

/** Ten steps, so that the progress moves, within the limits of a call. */
export function inCalls(keys: readonly string[]): string[][] {
  const size = Math.min(maxKeysPerCall, Math.max(1_000, Math.ceil(keys.length / 10)));
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, index) =>
    keys.slice(index * size, (index + 1) * size),
  );
}

export const toCsv = (keys: readonly string[]): string =>
  keys.map((key) => `${/[",;\t\r\n]/.test(key) ? `"${key.replaceAll('"', '""')}"` : key}\n`).join('');
