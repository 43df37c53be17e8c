/**
 * How the cost of a request grows: with the number of flags, of clients, and of entries in the audit log; and how the
 * database grows with the number of changes. Writes GROWTH.md, growth.svg and docs/scale.md.
 */
import { writeFileSync } from 'node:fs';
import { growthPage } from './growth-page.ts';
import { growthPicture } from './growth-picture.ts';
import { describeMachine } from './machine.ts';
import { readOptions } from './options.ts';
import { measureAuditLog } from './parts/growth-of-audit-log.ts';
import { measureClients } from './parts/growth-of-clients.ts';
import { measureDatabaseFile } from './parts/growth-of-file.ts';
import { measureFlags } from './parts/growth-of-flags.ts';
import { measurePostgresSizes } from './parts/postgres-sizes.ts';
import { scalePage } from './scale-page.ts';
import { withBench } from './workbench.ts';

const { quick: isQuick, numbers } = readOptions(
  ['audit', 'rounds'],
  `npm run bench:growth                        measures, and writes bench/GROWTH.md, bench/growth.svg and docs/scale.md
npm run bench:growth -- --quick             tries everything once, shortly, and only prints
npm run bench:growth -- --audit 1000000     fills the audit log with another number of entries than ten million
npm run bench:growth -- --rounds 3          measures less often than five times
`,
);
const extent = isQuick
  ? { rounds: 1, milliseconds: 300, warmUpMs: 200 }
  : { rounds: numbers.rounds ?? 5, milliseconds: 700, warmUpMs: 500 };

const machine = describeMachine();
const startedAt = performance.now();

await withBench(extent, async (bench) => {
  const growth = {
    curves: [
      await measureFlags(bench, isQuick ? [100, 1_000] : [100, 1_000, 10_000, 100_000]),
      await measureClients(bench, isQuick ? [1, 8, 64] : [1, 2, 4, 8, 16, 32, 64]),
      await measureAuditLog(bench, numbers.audit ?? (isQuick ? 200_000 : 10_000_000)),
    ],
    file: await measureDatabaseFile(bench, isQuick ? [0, 500, 1_000] : [0, 1_000, 2_000, 4_000, 8_000]),
    postgres: await measurePostgresSizes(bench, isQuick ? 1_000 : 5_000),
  };
  const minutes = (performance.now() - startedAt) / 60_000;
  const text = growthPage(growth, { ...machine, ...extent, minutes });
  process.stdout.write(isQuick ? text + scalePage(growth.postgres, machine) : text);
  if (isQuick) {
    bench.tell('Nothing was written: one short round shows that everything runs, but is too little to judge by');
    return;
  }
  writeFileSync(new URL('./GROWTH.md', import.meta.url), text);
  writeFileSync(new URL('./growth.svg', import.meta.url), growthPicture(growth));
  writeFileSync(new URL('../docs/scale.md', import.meta.url), scalePage(growth.postgres, machine));
});
