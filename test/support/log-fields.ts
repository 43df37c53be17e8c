/** Checks every log line of a server against the table of fields in docs/operating/monitoring.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const document = readFileSync(new URL('../../docs/operating/monitoring.md', import.meta.url), 'utf8');
const [, section = ''] = /\n## The log\n([\s\S]*?)(?:\n## |$)/.exec(document) ?? [];

export const documentedFields: ReadonlySet<string> = new Set(
  [...section.matchAll(/^\| (`.+?) \| /gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, field = '']) => field),
  ),
);

export function requireDocumentedFields(lines: readonly Record<string, unknown>[]): void {
  for (const line of lines) {
    const unknown = Object.keys(line).filter((field) => !documentedFields.has(field));
    assert.deepEqual(unknown, [], `docs/operating/monitoring.md, "The log", lacks a field of ${JSON.stringify(line)}`);
  }
}

/** The lines of the log among all that a process wrote; the last may be cut off. */
export const logLinesIn = (output: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{"level":'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
