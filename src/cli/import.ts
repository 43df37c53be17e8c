/** Imports from Split, another Burgee, or an export file. Without `--yes` it only says what it would do. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { Choices, Plan } from '#domain/import/plan.ts';
import {
  type Comparison,
  comparedInWords,
  concernsOf,
  differenceInWords,
  type ImportReport,
  kindTitles,
  placeOf,
  reportOf,
  reportPage,
  totalOf,
} from '#domain/import/report.ts';
import { type SourceAccount, type SourceKind, sourceKinds } from '#domain/import/source.ts';
import { equalJson } from '#domain/json.ts';
import { OperatorError } from '#domain/operator.ts';
import { applyPlan } from '#import/apply.ts';
import { readFile } from '#import/files/file.ts';
import { planAccount } from '#import/here.ts';
import { readSplitAccount } from '#import/split/account.ts';
import { verifyAccount } from '#import/verify.ts';
import { readConfig } from '../config.ts';
import { showProgress } from './progress.ts';
import { type Session, withStore } from './store.ts';
import { printTable } from './table.ts';

interface SharedOptions {
  readonly newSeeds: string[];
  readonly report?: string;
  readonly yes?: true;
  readonly invite?: true;
}

interface SplitOptions extends SharedOptions {
  readonly key: string;
  readonly url: string;
  readonly sdkUrl?: string;
  readonly sdkKey: string[];
  readonly project: string[];
  readonly only: SourceKind[];
  readonly watch?: true | number;
  readonly verify?: number;
}

interface FileOptions extends SharedOptions {
  readonly project: string;
  readonly environment?: string;
}

const collect = (value: string, earlier: string[]) => [...earlier, value];
const usualWatchSeconds = 60;

export function addImportCommands(program: Command): void {
  const imports = program
    .command('import')
    .description('import flags and everything around them; works while the server runs');
  withSharedOptions(
    imports
      .command('split')
      .description('import an account of Split / Harness FME, or of another Burgee; nothing is written there')
      .requiredOption('--key <key>', 'Admin API key of the account; @file reads it from a file')
      .option('--url <url>', 'address of its Admin API', 'https://api.split.io')
      .option('--sdk-url <url>', 'address of its SDK endpoints; default: the one that belongs to --url')
      .addOption(
        new Option('--sdk-key <environment=key>', 'server-side SDK key, which tells the seeds; repeatable')
          .argParser(collect)
          .default([], 'none'),
      )
      .addOption(
        new Option('--project <name[=name here]>', 'import this project, into a project of that name; repeatable')
          .argParser(collect)
          .default([], 'all'),
      )
      .addOption(
        new Option('--only <kind>', `only ${sourceKinds.join(', ')}; repeatable`)
          .argParser((value: string, earlier: string[]) => {
            if (!(sourceKinds as readonly string[]).includes(value)) {
              throw new OperatorError(`--only must be one of ${sourceKinds.join(', ')}, not ${value}`);
            }
            return collect(value, earlier);
          })
          .default([], 'everything'),
      )
      .option(
        '--verify <n>',
        'evaluate n random keys of each flag on both sides with the official engine, and list each difference',
        evaluations,
      )
      .option(
        '--watch [seconds]',
        `import again every so often, until Ctrl-C (default: ${usualWatchSeconds})`,
        seconds,
      ),
  ).action((options: SplitOptions) => importSplit(options));
  withSharedOptions(
    imports
      .command('file')
      .description('import an export file of Split, LaunchDarkly or Unleash')
      .argument('<file>', 'the file, in JSON')
      .requiredOption('--project <name>', 'the project to import into; created if it does not exist')
      .option('--environment <name>', 'the environment of flags that do not say theirs: those of an SDK endpoint'),
  ).action((file: string, options: FileOptions) => importFile(file, options));
}

const withSharedOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--new-seeds <environment>', 'import rollouts whose seeds are unknown with new ones; repeatable')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--report <file>', 'also write the plan as an HTML page')
    .option('--invite', 'send invitations to the people who are imported')
    .option('--yes', 'import; without it, nothing is written');

const wholeNumber = (option: string, what: string, max: number) => (value: string) => {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new OperatorError(`${option} must be a number of ${what} from 1 to ${max}, not ${value}`);
};
const seconds = wholeNumber('--watch', 'seconds', 86_400);
const evaluations = wholeNumber('--verify', 'keys', 1_000_000);

async function importSplit(options: SplitOptions): Promise<void> {
  const { url, sdkUrl, yes, watch, verify } = options;
  const adminKey = secretOf(options.key);
  const sdkKeys = Object.fromEntries(options.sdkKey.map((text) => pairOf(text, '--sdk-key')));
  const projects = Object.fromEntries(
    options.project.map((text) => (text.includes('=') ? pairOf(text, '--project') : [text, text])),
  );
  const wanted = Object.keys(projects);
  if (watch !== undefined && !yes) throw new OperatorError('--watch imports again and again, so it needs --yes');
  const read = (signal: AbortSignal, progress: Show) =>
    readSplitAccount({
      url,
      sdkUrl,
      adminKey,
      sdkKeys,
      signal,
      ...(wanted.length > 0 ? { projects: wanted } : {}),
      ...(options.only.length > 0 ? { only: options.only } : {}),
      onProgress: ({ doing, done, total }) => progress.step({ what: `Reading: ${doing}`, rows: done, total }),
    });
  await withStore(async (session) => {
    const stop = stopOnSignal();
    const job = { session, read, choices: { ...choicesOf(options), projects }, options, signal: stop, verify };
    let last = await importOnce(job);
    if (watch === undefined) return;
    const everyMs = 1000 * (watch === true ? usualWatchSeconds : watch);
    process.stderr.write(`Watching the source every ${everyMs / 1000} s. Ctrl-C ends it.\n`);
    while (await pause(everyMs, true, { signal: stop }).catch(() => false)) last = await importOnce(job, last);
  });
}

async function importFile(file: string, options: FileOptions): Promise<void> {
  const account = readFile({ file, project: options.project, environment: options.environment });
  await withStore(async (session) => {
    await importOnce({
      session,
      read: async () => account,
      choices: choicesOf(options),
      options,
      signal: stopOnSignal(),
    });
  });
}

const choicesOf = ({ newSeeds, invite }: SharedOptions): Choices => ({
  newSeeds: Object.fromEntries(newSeeds.map((environment) => [environment, 'accept'])),
  invite: invite === true,
});

/** Keys on the command line are seen by everyone on the machine. */
function secretOf(text: string): string {
  return text.startsWith('@') ? readFileSync(text.slice(1), 'utf8').trim() : text;
}

function pairOf(text: string, option: string): [string, string] {
  const at = text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1) throw new OperatorError(`${option} must be a name, = and a value, not ${text}`);
  return [text.slice(0, at), option === '--sdk-key' ? secretOf(text.slice(at + 1)) : text.slice(at + 1)];
}

/** Ctrl-C ends the import after the current transaction; a second one ends the process. */
function stopOnSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}

type Show = ReturnType<typeof showProgress>;

interface Job {
  readonly session: Session;
  readonly read: (signal: AbortSignal, progress: Show) => Promise<SourceAccount>;
  readonly choices: Choices;
  readonly options: SharedOptions;
  readonly signal: AbortSignal;
  /** How many keys of each flag are evaluated on both sides afterwards. */
  readonly verify?: number | undefined;
}

/** Returns the plan. While watching, `last` is the one before: a plan that says the same is not printed again. */
async function importOnce(job: Job, last?: Plan): Promise<Plan> {
  const { session, read, choices, options, signal, verify } = job;
  try {
    const progress = showProgress();
    const account = await read(signal, progress);
    progress.end();
    const plan = await planAccount(session.store, account, { choices, signal });
    const isNews = !last || hasWork(plan) || !equalJson(concernsOf(plan), concernsOf(last));
    const compared = { account, store: session.store, choices, signal };
    const rehearsal = options.yes
      ? undefined
      : await compare('Rehearsing', verify ?? usualRehearsal, { ...compared, plan });
    const report = reportOf(plan, { at: Date.now(), rehearsal });
    if (isNews) printReport(report);
    if (options.report !== undefined) {
      writeFileSync(options.report, reportPage(report));
      process.stderr.write(`The plan is in ${options.report}\n`);
    }
    // Also to remember what is here already.
    if (options.yes) await apply(plan, { context: session.context, signal });
    else if (hasWork(plan)) process.stdout.write('\nNothing has been written. Run it again with --yes to import.\n');
    if (options.yes && isNews && verify !== undefined)
      printComparison('Verified', await compare('Verifying', verify, compared));
    return plan;
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new OperatorError('Interrupted. What was imported stays; run the same command again to continue.');
  }
}

const hasWork = (plan: Plan): boolean => totalOf(plan, 'create') + totalOf(plan, 'update') > 0;

async function apply(
  plan: Plan,
  { context, signal }: Pick<Session, 'context'> & { signal: AbortSignal },
): Promise<void> {
  const progress = showProgress();
  const { newProjects } = readConfig(process.env);
  const { written, refused } = await applyPlan(context, plan, {
    signal,
    newProjects,
    onProgress: ({ done, total, kind }) => progress.step({ what: kindTitles[kind], rows: done, total }),
  });
  progress.end();
  const total = Object.values(written).reduce((sum, count) => sum + count, 0);
  if (total === 0 && refused.length === 0) return;
  process.stdout.write(`\nImported ${total} ${total === 1 ? 'object' : 'objects'} from ${plan.source}.\n`);
  if (refused.length === 0) return;
  process.stdout.write(`\nRefused (${refused.length}):\n`);
  for (const { item, reason } of refused) process.stdout.write(`  ${placeOf(item)}: ${reason}\n`);
  process.exitCode = 1;
}

interface Compared extends Pick<Job, 'choices' | 'signal'>, Pick<Session, 'store'> {
  readonly account: SourceAccount;
  /** Compare with what would be here. */
  readonly plan?: Plan;
}

async function compare(what: string, perFlag: number, { account, store, ...rest }: Compared): Promise<Comparison> {
  const progress = showProgress();
  const result = await verifyAccount(store, account, {
    perFlag,
    ...rest,
    onProgress: ({ done, total }) => progress.step({ what, rows: done, total }),
  });
  progress.end();
  return result;
}

function printComparison(what: string, result: Comparison): void {
  const { differences, differenceCount, skipped } = result;
  process.stdout.write(`\n${what}: ${comparedInWords(result)}.\n`);
  if (skipped > 0) {
    process.stdout.write(
      `Not compared, because they are not here or their seeds are unknown: ${skipped} definitions.\n`,
    );
  }
  for (const difference of differences.slice(0, maxLines)) process.stdout.write(`  ${differenceInWords(difference)}\n`);
  if (differenceCount > maxLines) process.stdout.write(`  and ${differenceCount - maxLines} more\n`);
  if (differenceCount > 0) process.exitCode = 1;
}

/** Keys of each flag in a dry run: enough to find a definition that is mapped wrongly. */
const usualRehearsal = 100;

/** More of one kind are in the HTML report. */
const maxLines = 20;

function printReport({ source, concerns, rows, headline, rehearsal }: ImportReport): void {
  for (const { title, lines, count } of concerns) {
    process.stdout.write(`${title} (${count}):\n`);
    for (const line of lines.slice(0, maxLines)) process.stdout.write(`  ${line}\n`);
    if (count > maxLines) process.stdout.write(`  and ${count - maxLines} more; --report has all of them\n`);
    process.stdout.write('\n');
  }
  printTable(
    ['', 'at the source', 'create', 'update', 'already here', 'conflict', 'left out'],
    rows.map(({ title, total, counts }) => [
      title,
      ...[total, counts.create, counts.update, counts.same, counts.conflict, counts.left_out].map(String),
    ]),
  );
  process.stdout.write(`\n${source}: ${headline}\n`);
  if (rehearsal) printComparison('Rehearsal, on what would be written', rehearsal);
}
