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
| Load average before the run | ${circumstances.load} |
| Duration of the run | ${circumstances.minutes.toFixed(1)} minutes |`;

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

- **Look at the ratios.** A ratio compares two numbers of the same round, measured within seconds of each other; the table has the median of ${rounds} rounds of ${(milliseconds / 1_000).toFixed(1)} s each, and the minimum and maximum. If the range is wide, the machine was busy: differences within the range mean nothing.
- **The last two columns** have the numbers behind a ratio: the median of requests per second and, after the comma, the processor time (user and system) of one request. Reads and writes are compared by requests per second, lists and Fastify by processor time, the rest as the row says.
- **Processes.** Burgee (\`burgee serve\`), every reference, Unleash, PostgreSQL and the load generator are separate processes. ${isPinning ? 'Servers are pinned to the first core and the load generator to the last; PostgreSQL, and the nodes and the bare driver that use it, are not pinned.' : 'They are not pinned to cores.'} Each client has its own connection and sends the next request when it has the response.${loadBusiest === undefined ? '' : ` The load generator needed at most ${Math.round(loadBusiest * 100)} % of its core, so it is not what limits the numbers.`}
- **Bare node:http** sends the bytes and headers of Burgee's response from memory, without looking at the request. **Bare Fastify** has the route and the schema of GET definition, and an object in memory. **The bare transaction** runs the statements of a PATCH, recorded from Burgee itself and including the audit entry, with Node's SQLite in a loop, without HTTP, in a copy of the database on the same disk. **The bare driver** runs all statements of an uncached request with \`pg\`, as many at once, over a pool of ten, without HTTP.
- **Uncached** means that each request has a different URL. Burgee caches responses until something is committed that may change them, so the other rows mostly measure the cache. Keys and paths are cached there too. Lists are always measured uncached.
- **Every write is durable** before the response: Burgee flushes the SQLite log with \`fdatasync\`, the bare driver commits with \`synchronous=full\`; PostgreSQL with \`fsync\` and \`synchronous_commit\` on, all on the same disk.
- **Unleash** gets the closest equivalent: a flag in an environment, a flag, a user, a page of its search, what its SDKs poll (of 50 flags), a new flag, a changed strategy. It has the same number of flags and environments, in its own PostgreSQL with the same settings. Its limits for requests and flags are lifted. Here Burgee is polled over the Admin API: the definitions of an environment, 50 per page.
- **The catalogue**: flags with three definitions each; every second one has a tag and a word in its name, which the filtered pages look for. The functions of the store write it; one statement writes the audit log.
`;

const howToReadDelivery = `## How to read this

- **Bare node:http** sends the bytes and headers of Burgee's response from memory, without looking at the request. With streams it keeps each response and writes the same bytes to all of them in one loop.
- **Unleash** gets the request of its SDKs for all flags of an environment: compressed and, where the row says so, with the ETag of the last response.
- **Streams** are open sockets in a separate process. A change is one PATCH of a definition; the time is from sending the PATCH until the message is read, so it includes the change itself. Memory per stream is the growth of the process while they were opened, divided by their number.
- **Everyone polling** means 32 clients that poll again as soon as they have a response; the time is from sending the PATCH until all of them have the new number. The longest pause is the longest time that a client waited for a response meanwhile.
`;

const howToReadSegments = `## How to read this

- **Keys** are those of an environment with a thousand standard segments; they are random, like UUIDs. A segment has at most 100,000 of them.
- **Numbered keys** have the same beginning, so they are neighbours in the index by key. **Random keys** are spread over it: with a million keys there, each of them changes another page of the index ([decision 0077](../docs/decisions/0077-what-keys-cost.md)).
- **On SQLite** rows compare the processor time of the server for a request, after the comma. **On PostgreSQL** they compare how long the response takes, because the work is done in another process.
- **Uploads** contain new keys, which are removed after each upload, so that the small environment stays small. Pages and the segments of a key never come from the cache.
`;

const howToReadTraffic = `## How to read this

- **Impressions** are reports of SDKs, received, parsed and counted; requests per second are reports per second. The ratio compares processor time: that of the whole server for a report, with HTTP and all threads. **Bare node:http** reads the same requests to their end, parses them, and ignores the result. **\`JSON.parse\` without HTTP** parses the same bytes in a loop: it reads nothing from a socket, which the server does.
- **PATCH definition** compares the 99th percentile of changes while one client sends reports of 1,000 impressions, one after the other, with that of the same changes alone. On one core, a change also waits for the report that is being counted.
- Everything is on SQLite, where there is one writer.
`;
