/** What databases.ts found, as a page. */
import type { Machine } from './machine.ts';
import { median, medianProcessorUs, ratioOf, ratioText } from './ratios.ts';
import type { Sample, Samples } from './rounds.ts';

export const sqlite = 'SQLite';
export const overSocket = 'PostgreSQL over a unix socket';
export const overTcp = 'PostgreSQL over TCP';
export const twoNodes = 'PostgreSQL over TCP, two nodes';

/** Setup → what it is compared with. */
const comparedWith: Readonly<Record<string, string>> = {
  [overSocket]: sqlite,
  [overTcp]: sqlite,
  [twoNodes]: overTcp,
};

export interface Circumstances extends Machine {
  readonly postgres: string;
  readonly rounds: number;
  readonly measuredMs: number;
}

export const report = (circumstances: Circumstances, found: ReadonlyMap<string, Samples>): string =>
  `${[
    '# SQLite and PostgreSQL, one node and two',
    '`npm run bench:databases` writes this page.',
    tableOfCircumstances(circumstances),
    ...[...found].flatMap(([work, samples]) => [`## ${work}`, tableOf(samples)]),
    howToRead(circumstances),
  ].join('\n\n')}\n`;

function tableOfCircumstances({ date, commit, processor, system, node, postgres, load }: Circumstances): string {
  return `| | |
|---|---|
| Date (UTC) | ${date} |
| Commit | ${commit} |
| Processors | ${processor} |
| System | ${system} |
| Node, PostgreSQL | ${node}, ${postgres} |
| Other work on the machine: load before the run | ${load} |`;
}

const tableOf = (samples: Samples): string =>
  [
    '| | Requests/s | Ratio (least–most) | Processor time of Burgee per request |',
    '|---|---:|---|---:|',
    ...[...samples].map(([setup, ofSetup]) => rowOf(setup, ofSetup, samples)),
  ].join('\n');

function rowOf(setup: string, ofSetup: readonly Sample[], samples: Samples): string {
  const base = comparedWith[setup];
  const ratio = base ? `${ratioText(ratioOf(ofSetup, samples.get(base) ?? []))} of ${base}` : '1';
  const processorUs = medianProcessorUs(ofSetup);
  const perSecond = Math.round(median(ofSetup.map((sample) => sample.perSecond)));
  return `| ${setup} | ${perSecond} | ${ratio} | ${processorUs ? `${Math.round(processorUs)} µs` : 'unknown'} |`;
}

const howToRead = ({ rounds, measuredMs }: Circumstances): string => `## How to read this

- **The ratios are what counts.** A ratio compares two numbers of the same round, measured within seconds of each other; the table has the median of ${rounds} rounds and the least and the most. Where the range is wide, the machine was busy: believe only what is outside of it.
- **Requests per second are those of this machine**, which was shared: by the clients, the nodes and PostgreSQL, and by other work that had nothing to do with this. They are medians of ${rounds} times ${(measuredMs / 1_000).toFixed(1)} seconds. A machine with more processors answers more.
- **Processor time of Burgee** is that of the nodes alone, user and system, without PostgreSQL's. With SQLite the database is inside.
- **One node against two** says little where there are fewer free processors than processes: two nodes then share what one had. They are there for availability first.
- Every write is durable before it is answered: SQLite with \`synchronous=full\`, PostgreSQL with \`fsync\` and \`synchronous_commit\` on, both on the same disk. What the disk does when it is asked to flush decides much of it.
- Each client asks, waits for the answer, and asks again. Each changes a flag of its own. Changes in one environment wait for each other, since they are numbered in the order of their commits; changes in several do not, on PostgreSQL.
- The servers are real processes (\`burgee serve\`) with a pool of 10 connections each, 40 flags in 8 environments, a key checked in every request, an audit entry with every change, and a log that has warnings only.
`;
