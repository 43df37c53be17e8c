/**
 * Finds flag names in the files of a folder, in one pass over their bytes whatever the number of flags.
 *
 * A name counts as a whole word: `checkout` is in `flags.checkout` and in `"checkout"`, not in `checkout_page`. Where
 * several names begin, the longest counts. Comments count, too: this finds too much rather than too little.
 */
import { execFile } from 'node:child_process';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { maxExcerpt, maxReferencesOfFlag } from '#domain/code-references.ts';
import { OperatorError } from '#domain/operator.ts';

export interface CodeReference {
  readonly flag: string;
  readonly path: string;
  readonly line: number;
  readonly excerpt: string;
}

/** By flag, in the order of files and lines: the first ones, and how many there are. */
export type Found = Map<string, { readonly references: CodeReference[]; total: number }>;

/** Larger files are made by machines. */
const maxFileBytes = 1_000_000;
/** A file with a zero byte at its beginning is not text. */
const probedBytes = 8_000;

export interface Scan {
  readonly found: Found;
  files: number;
  /** Binary, or too large. */
  skipped: number;
}

/** `paths` are relative to the folder; `prefix` is where the folder is in the repository. */
export async function scanFiles(
  { folder, prefix, paths }: { folder: string; prefix: string; paths: readonly string[] },
  flags: readonly string[],
  onProgress: (files: number) => void,
): Promise<Scan> {
  const find = createMatcher(flags);
  const scan: Scan = { found: new Map(), files: 0, skipped: 0 };
  for (const [index, path] of paths.entries()) {
    onProgress(index);
    const text = await readText(join(folder, path));
    if (!text) scan.skipped += 1;
    else {
      scan.files += 1;
      addReferences(scan.found, text, prefix + path, find);
    }
  }
  return scan;
}

/** Undefined if it is no text file, or gone. */
async function readText(path: string): Promise<Buffer | undefined> {
  try {
    // Not what a link points to: that may be outside of the folder.
    const found = await lstat(path);
    if (!found.isFile() || found.size > maxFileBytes) return undefined;
    const bytes = await readFile(path);
    return bytes.subarray(0, probedBytes).includes(0) ? undefined : bytes;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES') return undefined;
    throw error;
  }
}

const newline = 0x0a;

function addReferences(found: Found, text: Buffer, path: string, find: Matcher): void {
  let [line, counted] = [1, 0];
  for (const { flag, at } of find(text)) {
    for (let next = text.indexOf(newline, counted); next !== -1 && next < at; next = text.indexOf(newline, counted)) {
      line += 1;
      counted = next + 1;
    }
    const known = found.get(flag) ?? { references: [], total: 0 };
    const last = known.references.at(-1);
    // A line counts once.
    if (last?.path === path && last.line === line) continue;
    known.total += 1;
    if (known.references.length < maxReferencesOfFlag) {
      known.references.push({ flag, path, line, excerpt: excerptOf(text, counted) });
    }
    found.set(flag, known);
  }
}

function excerptOf(text: Buffer, from: number): string {
  const end = text.indexOf(newline, from);
  // Characters have up to four bytes; indentation is not shown.
  const some = text.subarray(from, Math.min(end === -1 ? text.length : end, from + 8 * maxExcerpt));
  return some.toString().trim().slice(0, maxExcerpt);
}

type Matcher = (text: Buffer) => Generator<{ readonly flag: string; readonly at: number }>;

/** Bytes of words: letters, digits, underscores, and everything beyond ASCII. */
const isWord = Array.from({ length: 256 }, (_, byte) => byte >= 0x80 || /\w/.test(String.fromCharCode(byte)));

const hashStep = (hash: number, byte: number): number => (Math.imul(hash, 31) + byte) | 0;

/** Each word is looked up by a hash that is made while its bytes are read, so words that name no flag cost nothing more. */
function createMatcher(flags: readonly string[]): Matcher {
  const byFirstWord = new Map<number, { readonly flag: string; readonly bytes: Buffer }[]>();
  // The longest first.
  for (const flag of [...flags].sort((one, other) => other.length - one.length)) {
    const bytes = Buffer.from(flag);
    const end = bytes.findIndex((byte) => !isWord[byte]);
    const hash = bytes.subarray(0, end === -1 ? bytes.length : end).reduce(hashStep, 0);
    byFirstWord.set(hash, [...(byFirstWord.get(hash) ?? []), { flag, bytes }]);
  }
  return function* (text) {
    for (let at = 0; at < text.length; ) {
      if (!isWord[text[at] ?? 0]) {
        at += 1;
        continue;
      }
      const start = at;
      let hash = 0;
      for (; at < text.length && isWord[text[at] ?? 0]; at += 1) hash = hashStep(hash, text[at] ?? 0);
      const match = byFirstWord.get(hash)?.find(({ bytes }) => isAt(text, start, bytes));
      if (!match) continue;
      yield { flag: match.flag, at: start };
      at = Math.max(at, start + match.bytes.length);
    }
  };
}

function isAt(text: Buffer, start: number, bytes: Buffer): boolean {
  const end = start + bytes.length;
  return (
    end <= text.length &&
    !(end < text.length && isWord[text[end] ?? 0]) &&
    text.compare(bytes, 0, bytes.length, start, end) === 0
  );
}

const run = promisify(execFile);

/** What git says, without the last line break; undefined if it fails or is not installed. */
export async function git(folder: string, ...args: string[]): Promise<string | undefined> {
  return run('git', ['-C', folder, ...args], { maxBuffer: 256_000_000 }).then(
    ({ stdout }) => stdout.replace(/\n$/, ''),
    () => undefined,
  );
}

/** Paths of files with slashes, in order: in a repository those that it does not ignore, otherwise all but packages. */
export async function listFiles(folder: string): Promise<string[]> {
  const listed = await git(folder, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
  if (listed !== undefined) return [...new Set(listed.split('\0').filter(Boolean))].sort();
  const isFolder = await lstat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new OperatorError(`${folder} is not a folder`);
  const paths: string[] = [];
  for await (const path of walk(folder, '')) paths.push(path);
  return paths.sort();
}

const notScanned = new Set(['.git', '.hg', '.svn', 'node_modules']);

async function* walk(folder: string, path: string): AsyncGenerator<string> {
  for (const entry of await readdir(join(folder, path), { withFileTypes: true })) {
    const below = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isFile()) yield below;
    else if (entry.isDirectory() && !notScanned.has(entry.name)) yield* walk(folder, below);
  }
}
