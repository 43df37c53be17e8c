import { join } from 'node:path';
import { command } from '../test/support/databases.ts';
import { describeMachine } from './machine.ts';
import { readOptions } from './options.ts';
import { measureSegments } from './parts/segments.ts';
import { segmentsPage } from './results.ts';
import { collectRows, withBench } from './workbench.ts';

const { quick: isQuick, numbers } = readOptions(
  ['rounds'],
  `npm run bench:segments                  measures, and writes bench/SEGMENTS.md
npm run bench:segments -- --quick       tries everything once, shortly, with fewer keys, and only prints
npm run bench:segments -- --rounds 3    measures less often than seven times
`,
);
const extent = isQuick
  ? { rounds: 1, milliseconds: 300, warmUpMs: 200 }
  : { rounds: numbers.rounds ?? 7, milliseconds: 700, warmUpMs: 500 };
const sizes = [1_000, isQuick ? 200_000 : 1_000_000] as const;

const machine = describeMachine();
const startedAt = performance.now();
const { attempt, finish } = collectRows();

await withBench(extent, async (bench) => {
  const fileOf = async (name: string) => `file:${join(bench.folder, `${name}.db`)}`;
  await attempt(bench, 'SQLite', () => measureSegments(bench, { name: 'SQLite', urlOf: fileOf, sizes }));
  const postgres = await bench.postgres();
  const databaseOf = async (name: string) => {
    await command(postgres.url('postgres'), `create database ${name}`);
    return postgres.url(name);
  };
  await attempt(bench, 'PostgreSQL', () => measureSegments(bench, { name: 'PostgreSQL', urlOf: databaseOf, sizes }));
  await finish(bench, { ...machine, ...extent, page: segmentsPage, file: './SEGMENTS.md', isQuick, startedAt });
});
