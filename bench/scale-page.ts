/** docs/scale.md: what a thousand projects with a million flags take on PostgreSQL, extrapolated from measurements. */
import type { Machine } from './machine.ts';
import type { PostgresSizes, TableSize } from './parts/postgres-sizes.ts';
import { grouped } from './rows.ts';

const assumed = {
  projects: 1_000,
  flags: 1_000_000,
  environmentsOfProject: 3,
  shareWithTag: 0.5,
  changesOfDefinitionAYear: 5,
  readsPerSecond: 1_000,
  nodes: 3,
  pool: 10,
};
const definitions = assumed.flags * assumed.environmentsOfProject;
const environments = assumed.projects * assumed.environmentsOfProject;
const changesAYear = definitions * assumed.changesOfDefinitionAYear;
const secondsOfAYear = 365 * 24 * 3_600;
/** Changes come in working hours: eight of 24 hours, five of seven days; and the busiest second has ten times the usual. */
const busyFactor = (24 / 8) * (7 / 5) * 10;

export function scalePage(sizes: PostgresSizes, machine: Machine): string {
  const writesPerSecond = (changesAYear / secondsOfAYear) * busyFactor;
  return `# A thousand projects and a million flags

What it takes on PostgreSQL, extrapolated from measurements. \`npm run bench:growth\` measures again and rewrites this page. Measured on ${machine.date} UTC at commit ${machine.commit}, ${machine.processor}, with a load of ${machine.load} from other work.

## Assumptions

| | |
|---|---:|
| Projects | ${grouped(assumed.projects)} |
| Environments, ${assumed.environmentsOfProject} in each project | ${grouped(environments)} |
| Flags, ${grouped(assumed.flags / assumed.projects)} in each project | ${grouped(assumed.flags)} |
| Definitions: each flag in each environment, ten keys and one rule | ${grouped(definitions)} |
| Changes per year: ${assumed.changesOfDefinitionAYear} per definition | ${grouped(changesAYear)} |
| Reads per second, in the busiest hour | ${grouped(assumed.readsPerSecond)} |
| Changes in the busiest second: the yearly average × 24/8 hours × 7/5 days × 10 | ${writesPerSecond.toFixed(0)} |

## Disk

\`pg_table_size\` and \`pg_indexes_size\` after a vacuum, divided by the number of rows in a sample.

${diskTable(sizes)}

The audit log grows the most: ${gigabytes(changesAYear * bytesOf(tableOf(sizes, 'changes')))} per year. It has a row for each change, and one for the creation of each flag and definition. It is kept forever unless [\`AUDIT_DAYS\`](operating/audit-log.md) is set. [GROWTH.md](../bench/GROWTH.md) shows what requests cost with a short and with a long log.

## Memory

The data that requests touch should fit in memory: flags and definitions with their indexes, and the newest part of the log. The former take ${gigabytes(liveBytes(sizes))}; with \`shared_buffers\` set to a quarter of the memory and the rest left to the system's cache, a machine with ${memoryFor(liveBytes(sizes))} GB is enough.

## CPU

| | CPU time per request | Per second on one core | Required per second | Cores |
|---|---:|---:|---:|---:|
${[
  processorRow('GET definition: node', sizes.reads.nodeUs, assumed.readsPerSecond),
  processorRow('GET definition: PostgreSQL', sizes.reads.postgresUs, assumed.readsPerSecond),
  processorRow('PATCH definition: node', sizes.writes.nodeUs, writesPerSecond),
  processorRow('PATCH definition: PostgreSQL', sizes.writes.postgresUs, writesPerSecond),
].join('\n')}

A node uses one core; to use more cores, run more nodes. Changes in one environment are made one after the other: ${grouped(sizes.writes.perSecond)} per second were measured in one environment with 8 clients. Changes in different environments do not wait for each other, and there are ${grouped(environments)}.

## Connections

${assumed.nodes} nodes × (${assumed.pool} + 1) = ${assumed.nodes * (assumed.pool + 1)} connections, regardless of the number of projects ([pool sizes](operating/postgresql.md#pool-sizes)). At ${grouped(assumed.readsPerSecond)} reads per second, each pooled connection serves ${grouped(assumed.readsPerSecond / (assumed.nodes * assumed.pool))} requests per second.

## Write-ahead log

${grouped(sizes.walBytesPerWrite)} bytes for one PATCH of a definition, between checkpoints. With ${grouped(changesAYear)} changes, that is ${gigabytes(sizes.walBytesPerWrite * changesAYear)} per year or ${gigabytes((sizes.walBytesPerWrite * changesAYear) / 365)} per day; in the busiest second ${grouped((sizes.walBytesPerWrite * writesPerSecond) / 1_000)} kB. After each checkpoint, the first change to a page writes the whole page (8 kB), so more frequent checkpoints mean more WAL. A replica receives the same amount.

## What grows with what

| | Grows with | Here |
|---|---|---|
| reading or changing one resource | the depth of the indexes | one level more for a million flags than for ten thousand |
| a page of flags | the flags in its project, not all flags | ${grouped(assumed.flags / assumed.projects)} per project |
| the history of a resource, a page of the audit log | the page, not the log | 50 entries |
| starting a node | the number of environments | ${grouped(environments)} numbers are read |

A real database of a million flags was not measured. The numbers above are extrapolated from a sample of ${grouped(tableOf(sizes, 'flags').rows)} flags. See [GROWTH.md](../bench/GROWTH.md) for measurements on SQLite with up to 100,000 flags in one project.
`;
}

const processorRow = (what: string, us: number, wanted: number): string =>
  `| ${what} | ${grouped(us)} µs | ${grouped(1_000_000 / us)} | ${grouped(wanted)} | ${((us * wanted) / 1_000_000).toFixed(2)} |`;

function diskTable(sizes: PostgresSizes): string {
  const rows = rowsOf(sizes).map(([table, rows]) => {
    const { heapBytesPerRow, indexBytesPerRow } = table;
    const total = gigabytes(rows * bytesOf(table));
    return `| \`${table.table}\` | ${grouped(rows)} | ${grouped(heapBytesPerRow)} | ${grouped(indexBytesPerRow)} | ${total} |`;
  });
  const sum = rowsOf(sizes).reduce((bytes, [table, rows]) => bytes + rows * bytesOf(table), 0);
  return `| Table | Rows after a year | Bytes per row | Index bytes per row | Total |
|---|---:|---:|---:|---:|
${rows.join('\n')}
| all | | | | ${gigabytes(sum)} |`;
}

/** Each flag and each definition was created, too. */
const rowsOf = (sizes: PostgresSizes): [TableSize, number][] => [
  [tableOf(sizes, 'flags'), assumed.flags],
  [tableOf(sizes, 'flag_tags'), assumed.flags * assumed.shareWithTag],
  [tableOf(sizes, 'definitions'), definitions],
  [tableOf(sizes, 'changes'), changesAYear + assumed.flags + definitions],
];

const liveBytes = (sizes: PostgresSizes): number =>
  rowsOf(sizes)
    .slice(0, 3)
    .reduce((sum, [table, rows]) => sum + rows * bytesOf(table), 0);

const bytesOf = ({ heapBytesPerRow, indexBytesPerRow }: TableSize): number => heapBytesPerRow + indexBytesPerRow;

/** The next usual size of a machine that is twice as large. */
const memoryFor = (bytes: number): number => 2 ** Math.ceil(Math.log2((bytes * 2) / 1e9));

function tableOf({ tables }: PostgresSizes, name: string): TableSize {
  const found = tables.find(({ table }) => table === name);
  if (!found) throw new Error(`${name} was not measured`);
  return found;
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
