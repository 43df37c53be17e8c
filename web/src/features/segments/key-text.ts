/** Keys from pasted text and files, and back to CSV. */
import { keysOfFile, longestKey, maxKeysPerCall } from '#domain/segments.ts';

export interface ReadKeys {
  /** Each once. */
  readonly keys: readonly string[];
  readonly repeated: number;
  readonly invalid: readonly { readonly line: number; readonly text: string; readonly why: string }[];
}

/** One key per line. Pasted keys may also be separated by commas; of a file, the first column counts. */
export function readKeys(text: string, from: 'paste' | 'file'): ReadKeys {
  const keys = new Set<string>();
  const invalid: { line: number; text: string; why: string }[] = [];
  let repeated = 0;
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    for (const word of from === 'file' ? keysOfFile(line) : line.split(',')) {
      const key = word.trim();
      const why = complaintAbout(key);
      if (key === '') continue;
      if (why !== undefined) invalid.push({ line: index + 1, text: key.slice(0, 60), why });
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

/** In pieces that one call may have. */
export const inCalls = (keys: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(keys.length / maxKeysPerCall) }, (_, index) =>
    keys.slice(index * maxKeysPerCall, (index + 1) * maxKeysPerCall),
  );

export const toCsv = (keys: readonly string[]): string =>
  keys.map((key) => `${/[",]/.test(key) ? `"${key.replaceAll('"', '""')}"` : key}\n`).join('');
