/** Renders the results of growth.ts as a page. */
import type { Curves, Line, Point } from './curves.ts';
import type { Machine } from './machine.ts';
import type { FileGrowth } from './parts/growth-of-file.ts';
import type { PostgresSizes, RequestCost } from './parts/postgres-sizes.ts';
import { grouped } from './rows.ts';
import type { Extent } from './workbench.ts';

export interface Growth {
  readonly curves: readonly Curves[];
  readonly file: FileGrowth;
  readonly postgres: PostgresSizes;
}

type Circumstances = Machine & Extent & { readonly minutes: number };

export const growthPage = (growth: Growth, circumstances: Circumstances): string =>
  `${[
    '# How the cost of a request grows',
    '`npm run bench:growth` writes this page and the picture.',
    '![Processor time of a request against flags, clients and audit entries; the size of the file against changes](growth.svg)',
    tableOfCircumstances(circumstances),
    ...growth.curves.flatMap((curves) => [`## ${curves.title}`, tableOf(curves)]),
    '## The SQLite file',
    tableOfFile(growth.file),
    '## PostgreSQL',
    tableOfPostgres(growth.postgres),
    howToRead(circumstances),
  ].join('\n\n')}\n`;

const tableOfCircumstances = (circumstances: Circumstances): string => `| | |
|---|---|
| Date (UTC) | ${circumstances.date} |
| Commit | ${circumstances.commit} |
| Processors | ${circumstances.processor} |
| System | ${circumstances.system} |
| Node | ${circumstances.node} |
| Disk: a flush takes | ${circumstances.flushMs.toFixed(2)} ms, in ${circumstances.folder} |
| Load average before the run | ${circumstances.load} |
| Duration of the run | ${circumstances.minutes.toFixed(1)} minutes |`;

const tableOf = ({ axis, steps, lines }: Curves): string =>
  [
    `| | ${steps.map((step) => `${grouped(step)} ${axis}`).join(' | ')} | Last to first |`,
    `|---|${steps.map(() => '---:|').join('')}---:|`,
    ...lines.map(rowOf),
  ].join('\n');

function rowOf({ work, points }: Line): string {
  const [first, last] = [points[0], points.at(-1)];
  const ratio = first && last ? (last.processorUs / first.processorUs).toFixed(2) : '';
  return `| ${work} | ${points.map(pointText).join(' | ')} | ${ratio} |`;
}

const pointText = ({ processorUs, medianMs, p99Ms }: Point): string =>
  `${Number.isNaN(processorUs) ? '' : `${grouped(processorUs)} µs, `}${medianMs.toFixed(1)} ms, ${p99Ms.toFixed(1)} ms`;

function tableOfFile({ changes, bytes }: FileGrowth): string {
  const perChange = ((bytes.at(-1) ?? 0) - (bytes[0] ?? 0)) / ((changes.at(-1) ?? 0) - (changes[0] ?? 0));
  return `| Changes of definitions | ${changes.map(grouped).join(' | ')} | For each change |
|---|${changes.map(() => '---:|').join('')}---:|
| Size of the file | ${bytes.map((size) => `${(size / 1e6).toFixed(1)} MB`).join(' | ')} | ${grouped(perChange)} bytes |`;
}

const tableOfPostgres = ({
  tables,
  ...rest
}: PostgresSizes): string => `| Table | Rows | Bytes of a row | Of its indexes |
|---|---:|---:|---:|
${tables
  .map(
    ({ table, rows, heapBytesPerRow, indexBytesPerRow }) =>
      `| \`${table}\` | ${grouped(rows)} | ${grouped(heapBytesPerRow)} | ${grouped(indexBytesPerRow)} |`,
  )
  .join('\n')}

| | |
|---|---:|
| Write-ahead log for one PATCH of a definition | ${grouped(rest.walBytesPerWrite)} bytes |
| GET definition, 8 clients, one node | ${costText(rest.reads)} |
| PATCH definition, 8 clients, one node, one environment | ${costText(rest.writes)} |`;

const costText = ({ perSecond, nodeUs, postgresUs }: RequestCost): string =>
  `${grouped(perSecond)}/s; processor time ${grouped(nodeUs)} µs of the node, ${grouped(postgresUs)} µs of PostgreSQL`;

const howToRead = ({ rounds, milliseconds }: Circumstances): string => `## How to read this

- Each cell has the processor time of the server for one request, then the median and the 99th percentile of the response time. With more clients, requests wait for each other; the processor time shows what one costs.
- Medians of ${rounds} rounds of ${(milliseconds / 1_000).toFixed(1)} s; in each round all steps of a row are measured one after the other, so that other work on the machine affects them equally. The last column is the ratio of the processor times.
- Every read has a different URL, so nothing comes from the cache.
- One statement fills the audit log, with short bodies, an entry for each of 100 flags in turn.
- [docs/scale.md](../docs/scale.md) calculates with the numbers of PostgreSQL.
`;
