import { controlCharacters } from '#domain/schema.ts';

/** Columns are as wide as their widest cell: readable for people, one row per line for scripts. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [head, ...rows.map((row) => row.map(escaped))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  for (const row of all) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    process.stdout.write(`${line.trimEnd()}\n`);
  }
}

/** A name must neither start a new row nor control the terminal. */
const escaped = (cell: string): string =>
  cell.replaceAll(
    new RegExp(`[${controlCharacters}]`, 'g'),
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
