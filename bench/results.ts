/** Renders the bench results as a page. */
import type { Machine } from './machine.ts';
import { isPinning } from './processes.ts';
import { isReached, isWithin, type Row } from './rows.ts';
import type { Extent } from './workbench.ts';

export interface Circumstances extends Machine, Extent {
  readonly postgres: string;
  /** Undefined where it could not be installed; absent where nothing is compared with it. */
  readonly unleash?: string | undefined;
  readonly minutes: number;
  /** The greatest share of a core that the load needed. */
  readonly loadBusiest: number | undefined;
  /** What could not be measured, and why. */
  readonly failures: readonly string[];
}

export const resultsPage = (rows: readonly Row[], circumstances: Circumstances): string =>
  pageOf(rows, circumstances, {
    head: [
      '# How fast Burgee is',
      '`npm run bench` writes this page and the picture. [DELIVERY.md](DELIVERY.md) has what SDKs get.',
      '![Each measurement as a bar, and the line that it is to reach](results.svg)',
    ],
    foot: howToRead(circumstances),
  });

export const deliveryPage = (rows: readonly Row[], circumstances: Circumstances): string =>
  pageOf(rows, circumstances, {
    head: [
      '# How fast SDKs get their flags',
      '`npm run bench:delivery` writes this page. [RESULTS.md](RESULTS.md) has the Admin API, and explains how to read ratios.',
    ],
    foot: howToReadDelivery,
  });

export const segmentsPage = (rows: readonly Row[], circumstances: Circumstances): string =>
  pageOf(rows, circumstances, {
    head: [
      '# What segments with many keys cost',
      '`npm run bench:segments` writes this page. [RESULTS.md](RESULTS.md) explains how to read ratios.',
    ],
    foot: howToReadSegments,
    why: '[Decision 0077](../docs/decisions/0077-what-keys-cost.md)',
  });

export const trafficPage = (rows: readonly Row[], circumstances: Circumstances): string =>
  pageOf(rows, circumstances, {
    head: [
      '# What counting traffic costs',
      '`npm run bench:traffic` writes this page. [RESULTS.md](RESULTS.md) explains how to read ratios.',
    ],
    foot: howToReadTraffic,
    why: '[Decision 0101](../docs/decisions/0101-what-counting-costs.md)',
  });

const speedDecision = '[Decision 0023](../docs/decisions/0023-speed.md#targets-not-reached-yet)';

const pageOf = (
  rows: readonly Row[],
  circumstances: Circumstances,
  { head, foot, why = speedDecision }: { head: readonly string[]; foot: string; why?: string },
): string =>
  `${[
    ...head,
    tableOfCircumstances(circumstances),
    ...('unleash' in circumstances && circumstances.unleash === undefined
      ? ['**Unleash could not be installed** (no network?): the rows that compare with it are left out.']
      : []),
    ...circumstances.failures.map((failure) => `**Not measured:** ${failure}`),
    summary(rows, why),
    ...[...Map.groupBy(rows, ({ part }) => part)].flatMap(([part, ofPart]) => [`## ${part}`, tableOf(ofPart)]),
    foot,
  ].join('\n\n')}\n`;

const tableOfCircumstances = (circumstances: Circumstances): string => `| | |
|---|---|
| Date (UTC) | ${circumstances.date} |
| Commit | ${circumstances.commit} |
| Processors | ${circumstances.processor} |
| System | ${circumstances.system} |
| ${'unleash' in circumstances ? 'Node, PostgreSQL, Unleash' : 'Node, PostgreSQL'} | ${versionsOf(circumstances).join(', ')} |
| Disk: a flush takes | ${circumstances.flushMs.toFixed(2)} ms, in ${circumstances.folder} |
| Other work on the machine: load before the run | ${circumstances.load} |
| Time that the run took | ${circumstances.minutes.toFixed(1)} minutes |`;

const versionsOf = ({ node, postgres, ...peer }: Circumstances): string[] => [
  node,
  postgres,
  ...('unleash' in peer ? [peer.unleash ?? 'none'] : []),
];

function summary(rows: readonly Row[], why: string): string {
  const judged = rows.filter(({ notJudged }) => notJudged === undefined);
  const reached = judged.filter(isReached).length;
  return `**${reached} of ${judged.length} bars are reached.**${reached < judged.length ? ` ${why} explains the others.` : ''}`;
}

const tableOf = (rows: readonly Row[]): string =>
  [
    '| Work | Against | Measured (min–max) | Bar | | Burgee | The other |',
    '|---|---|---:|---:|---|---|---|',
    ...rows.map(rowOf),
  ].join('\n');

const rowOf = (row: Row): string =>
  `| ${[row.work, row.against, ratioText(row), barText(row), verdictOf(row), row.ours, row.theirs].join(' | ')} |`;

export const barText = ({ bar }: Row): string =>
  'atLeast' in bar ? `≥ ${bar.atLeast}` : bar.atMost === 0 ? '0' : `≤ ${bar.atMost}`;

function verdictOf(row: Row): string {
  if (row.notJudged !== undefined) return `not judged: ${row.notJudged}`;
  return isReached(row) ? 'reached' : '**missed**';
}

export const ratioValue = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(2));

function ratioText({ ratio: { median, min, max }, bar }: Row): string {
  // One digit more where it would else look as if the bar were reached that is missed, or the reverse.
  const isClear = isWithin(bar, Number(ratioValue(median))) === isWithin(bar, median);
  const value = isClear ? ratioValue(median) : median.toFixed(3);
  return min === max ? value : `${value} (${ratioValue(min)}–${ratioValue(max)})`;
}

const howToRead = ({ rounds, milliseconds, loadBusiest }: Circumstances): string => `## How to read this

- **The ratios are what counts.** A ratio compares two numbers of the same round, measured within seconds of each other; the table has the median of ${rounds} rounds of ${(milliseconds / 1_000).toFixed(1)} s each, and the minimum and maximum. Where the range is wide, the machine was busy: believe only what is outside of it.
- **What is behind a ratio** is in the last two columns: medians of requests a second and, behind the comma, the processor time that the process took for one request, user and system. Reads and writes are compared by requests a second; lists, and Fastify, by processor time; the rest by what the row says.
- **Processes.** Burgee (\`burgee serve\`), every reference, Unleash, PostgreSQL and the load are processes of their own. ${isPinning ? 'What serves is kept on the first core and the load on the last, for all alike; PostgreSQL, and nodes and bare driver on PostgreSQL, run wherever there is room.' : 'They run wherever there is room.'} Each client asks over a connection of its own, waits for the answer, and asks again.${loadBusiest === undefined ? '' : ` The load needed at most ${Math.round(loadBusiest * 100)} % of its core, so it is never the load that is measured.`}
- **Bare node:http** answers the bytes and headers that Burgee answered, from memory, and looks at nothing. **Bare Fastify** has the route and the schema of GET definition and an object in memory. **The bare transaction** is Node's SQLite doing, in a loop without any HTTP, the statements of a PATCH, which were recorded from Burgee itself, with its audit entry, in a copy of the database on the same disk. **The bare driver** is \`pg\` doing, so many at once over a pool of ten, all statements of the request (of one that is asked first: nothing is known from before), without any HTTP.
- **Not asked for before** means an address of its own for each request. Burgee keeps answers ready for as long as nothing is committed that may change them, so that who asks again is answered from memory: those rows show what the others do not. Who a key is, and what the words of a path name, is known there, too, once it was asked for. Lists are always asked for in this way.
- **Every write is durable** before it is answered: Burgee flushes the log of SQLite with \`fdatasync\`, the bare driver commits with \`synchronous=full\`; PostgreSQL with \`fsync\` and \`synchronous_commit\` on, all on the same disk.
- **Unleash** is asked for the nearest that it has: a flag in an environment, a flag, a user, the page of its search, what its SDKs poll (of 50 flags), a new flag, a changed strategy. It has the same number of flags in as many environments, in a PostgreSQL of its own with the same settings. Its limits for requests and flags are lifted. Here Burgee is polled over the Admin API, for the definitions of an environment, 50 a page.
- **The catalogue**: flags with three definitions each; every second one has a tag and a word in its name, by which the filtered pages are asked for. It is written by the functions of the store; the audit log by one statement.
`;

const howToReadDelivery = `## How to read this

- **Bare node:http** answers the bytes and headers that Burgee answered, from memory, and looks at nothing. With streams it keeps each response and writes the same bytes to all of them in one loop.
- **Unleash** is asked for all flags of an environment, as its SDKs ask: compressed, and, where the row says so, with the ETag of its last answer.
- **Streams** are open sockets in a process of their own. A change is one PATCH of a definition; the time counts from sending the PATCH, so it includes the change itself, until the message is read. Memory per stream is what the process grew by while they were opened, divided by their number.
- **Everyone polling** are 32 clients that ask again as soon as they are answered; the time counts from sending the PATCH until each of them was answered with the new number. The longest pause is the longest that a client waited for any answer meanwhile.
`;

const howToReadSegments = `## How to read this

- **Keys** are those of an environment with a thousand standard segments; they are random, like UUIDs. A segment has at most 100,000 of them.
- **Numbered keys** have the same beginning, so they are neighbours in the index by key. **Random keys** are spread over it: with a million keys there, each of them changes another page of the index ([decision 0077](../docs/decisions/0077-what-keys-cost.md)).
- **On SQLite** rows compare the processor time of the server for a request, behind the comma. **On PostgreSQL** they compare how long the answer takes, because the work is done in another process.
- **Uploads** are of keys that are not there yet, and are removed again after each, so that the small environment stays small. Pages and the segments of a key are never answered from the cache.
`;

const howToReadTraffic = `## How to read this

- **Impressions** are reports of SDKs, received, parsed and counted; requests a second are reports a second. The ratio is of processor time: that of the whole server for a report, with HTTP and all threads. **Bare node:http** reads the same requests to their end, parses them, and looks at nothing. **\`JSON.parse\` without HTTP** parses the same bytes in a loop: it reads nothing from a socket, which the server does.
- **PATCH definition** compares how long all but one of a hundred changes take at most, while one client sends reports of 1,000 impressions one after the other, against the same changes alone. On one core, a change also waits for the report that is being counted.
- Everything is on SQLite, where there is one writer.
`;
