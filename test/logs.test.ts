/**
 * Log fields: every field in the sources is in the table of docs/operating/monitoring.md, and the other way round.
 * Tests that start a server also compare its lines with the table (test/support/log-fields.ts).
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { documentedFields, requireDocumentedFields } from './support/log-fields.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));

/** Fields that pino itself writes, and those of `LogController` in app.ts. */
const ofTheLogger = ['level', 'time', 'msg', 'transactionId'];
/** The fields of variables that are logged or spread into a line. */
const named: Record<string, readonly string[]> = {
  facts: ['kind', 'email', 'attempts', 'error'],
  change: ['environmentId', 'changeNumber'],
  ended: ['route', 'status', 'milliseconds'],
  logged: ['transactionId', 'traceId', 'method', 'route', 'status', 'milliseconds', 'actor'],
};

const loggedAs = sources.flatMap((source) =>
  [...source.matchAll(/\blog(?:\.(?:trace|debug|info|warn|error|fatal)|\[[^\]]+\])\(\s*(\{[^{}]*\}|[\w']+)/g)].map(
    ([, first = '']) => first,
  ),
);

const fieldsOf = (first: string): readonly string[] => {
  if (first.startsWith("'")) return [];
  if (!first.startsWith('{')) return named[first] ?? assert.fail(`say in this file which fields ${first} has`);
  return first
    .slice(1, -1)
    .split(',')
    .map((member) => member.trim().split(':')[0] ?? '')
    .filter((member) => member !== '')
    .flatMap((member) => (member.startsWith('...') ? fieldsOf(member.slice(3)) : [member]));
};

test('the fields that the sources log are those of the table', () => {
  assert.ok(loggedAs.length > 10, 'calls are found');
  const logged = new Set([...ofTheLogger, ...loggedAs.flatMap(fieldsOf)]);
  assert.deepEqual([...documentedFields].sort(), [...logged].sort());
});

test('a line with a field that is not in the table is noticed', () => {
  requireDocumentedFields([{ level: 30, time: 1, msg: 'request', status: 200 }]);
  assert.throws(() => requireDocumentedFields([{ level: 30, password: 'x' }]), /lacks a field/);
});
