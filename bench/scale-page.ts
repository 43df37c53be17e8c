/** docs/scale.md: what a thousand projects with a million flags take on PostgreSQL, calculated from what was measured. */
import type { Machine } from './machine.ts';
import type { PostgresSizes, TableSize } from './parts/postgres-sizes.ts';
import { grouped } from './rows.ts';

/** What is supposed. */
const supposed = {
  projects: 1_000,
  flags: 1_000_000,
  environmentsOfProject: 3,
  shareWithTag: 0.5,
  changesOfDefinitionAYear: 5,
  readsPerSecond: 1_000,
  nodes: 3,
  pool: 10,
};
const definitions = supposed.flags * supposed.environmentsOfProject;
const environments = supposed.projects * supposed.environmentsOfProject;
const changesAYear = definitions * supposed.changesOfDefinitionAYear;
const secondsOfAYear = 365 * 24 * 3_600;
/** Changes come in working hours: eight of 24 hours, five of seven days; and the busiest second has ten times the usual. */
const busyFactor = (24 / 8) * (7 / 5) * 10;

export function scalePage(sizes: PostgresSizes, machine: Machine): string {
  const writesPerSecond = (changesAYear / secondsOfAYear) * busyFactor;
  return `# A thousand projects and a million flags

What that takes on PostgreSQL, calculated from what was measured. \`npm run bench:growth\` measures anew and writes this page; measured on ${machine.date} UTC at commit ${machine.commit}, ${machine.processor}, with a load of ${machine.load} by other work.

## What is supposed

| | |
|---|---:|
| Projects | ${grouped(supposed.projects)} |
| Environments, ${supposed.environmentsOfProject} in each project | ${grouped(environments)} |
| Flags, ${grouped(supposed.flags / supposed.projects)} in each project | ${grouped(supposed.flags)} |
| Definitions: each flag in each environment, ten keys and one rule | ${grouped(definitions)} |
| Changes a year: ${supposed.changesOfDefinitionAYear} of each definition | ${grouped(changesAYear)} |
| Reads a second, in the busiest hour | ${grouped(supposed.readsPerSecond)} |
| Changes in the busiest second: the mean of the year × 24/8 hours × 7/5 days × 10 | ${writesPerSecond.toFixed(0)} |

## Disk

\`pg_table_size\` and \`pg_indexes_size\` after a vacuum, divided by the rows of a sample.

${diskTable(sizes)}

The audit log is what grows: ${gigabytes(changesAYear * bytesOf(tableOf(sizes, 'changes')))} a year. Its rows are those changes, and one for each flag and each definition that was made. It stays for ever unless [\`AUDIT_DAYS\`](operating/audit-log.md) is set. [GROWTH.md](../bench/GROWTH.md) has what requests cost beside a short log and a long one.

## Memory

What requests touch should be in memory: the flags and definitions with their indexes, and of the log the newest part. That is ${gigabytes(liveBytes(sizes))} for the first; with \`shared_buffers\` of a quarter of the memory and the rest as the system's cache, a machine with ${memoryFor(liveBytes(sizes))} GB has room for it.

## Processors

| | Processor time for one | A second on one core | Wanted | Cores |
|---|---:|---:|---:|---:|
${[
  processorRow('GET definition: node', sizes.reads.nodeUs, supposed.readsPerSecond),
  processorRow('GET definition: PostgreSQL', sizes.reads.postgresUs, supposed.readsPerSecond),
  processorRow('PATCH definition: node', sizes.writes.nodeUs, writesPerSecond),
  processorRow('PATCH definition: PostgreSQL', sizes.writes.postgresUs, writesPerSecond),
].join('\n')}

A node uses one core; more cores are used by more nodes. Changes in one environment are made one after the other: ${grouped(sizes.writes.perSecond)} a second were measured in one environment with 8 clients. Those in different environments do not wait for each other, and there are ${grouped(environments)}.

## Connections

${supposed.nodes} nodes × (${supposed.pool} + 1) = ${supposed.nodes * (supposed.pool + 1)} connections, however many projects there are ([pool sizes](operating/postgresql.md#pool-sizes)). At ${grouped(supposed.readsPerSecond)} reads a second each connection of the pools serves ${grouped(supposed.readsPerSecond / (supposed.nodes * supposed.pool))} requests a second.

## Write-ahead log

${grouped(sizes.walBytesPerWrite)} bytes for one PATCH of a definition, between checkpoints. × ${grouped(changesAYear)} changes = ${gigabytes(sizes.walBytesPerWrite * changesAYear)} a year, ${gigabytes((sizes.walBytesPerWrite * changesAYear) / 365)} a day; in the busiest second ${grouped((sizes.walBytesPerWrite * writesPerSecond) / 1_000)} kB. After each checkpoint the first change of a page writes the whole page (8 kB), so it is more the more often there are checkpoints. A replica receives as much.

## What grows with what

| | Grows with | Here |
|---|---|---|
| reading or changing one thing | the depth of the indexes | a million flags are one level deeper than ten thousand |
| a page of flags | the flags of its project, not of all | ${grouped(supposed.flags / supposed.projects)} in a project |
| the history of a thing, a page of the audit log | the page, not the log | 50 entries |
| the start of a node | the number of environments | ${grouped(environments)} numbers are read |

Not measured at this size: a real database of a million flags. The numbers of rows above are those of a sample of ${grouped(tableOf(sizes, 'flags').rows)} flags; see [GROWTH.md](../bench/GROWTH.md) for what was measured on SQLite with up to 100,000 flags in one project.
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
  return `| Table | Rows after a year | Bytes of a row | Of its indexes | Together |
|---|---:|---:|---:|---:|
${rows.join('\n')}
| all | | | | ${gigabytes(sum)} |`;
}

/** Each flag and each definition was created, too. */
const rowsOf = (sizes: PostgresSizes): [TableSize, number][] => [
  [tableOf(sizes, 'flags'), supposed.flags],
  [tableOf(sizes, 'flag_tags'), supposed.flags * supposed.shareWithTag],
  [tableOf(sizes, 'definitions'), definitions],
  [tableOf(sizes, 'changes'), changesAYear + supposed.flags + definitions],
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
