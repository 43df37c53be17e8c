/** Reports to a server where code names its flags. It needs no database: only the address of the server and a key. */
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type CodeReport, maxReferences } from '#domain/code-references.ts';
import { OperatorError } from '#domain/operator.ts';
import { type CodeReference, type Found, git, listFiles, scanFiles } from './code-scan.ts';
import { showProgress } from './progress.ts';
import { printTable } from './table.ts';

interface ScanOptions {
  readonly server: string;
  readonly key: string;
  readonly project: string;
  readonly repository?: string;
  readonly branch?: string;
  readonly urlPattern?: string;
  /** False with `--no-excerpts`. */
  readonly excerpts: boolean;
  readonly dryRun?: true;
}

export function addCodeCommands(program: Command): void {
  program
    .command('code-refs')
    .description('report to the server where code names its flags')
    .command('scan')
    .description('find the flags of a project in the files of a folder, and report them; needs no database')
    .argument('<folder>', 'a checkout of the code')
    .addOption(new Option('--server <url>', 'address of Burgee').env('BURGEE_URL').default('http://localhost:8080'))
    .addOption(
      new Option('--key <key>', 'Admin API key that may edit flags; @file reads it from a file')
        .env('BURGEE_KEY')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--project <project>', 'name or id of the project').env('BURGEE_PROJECT').makeOptionMandatory(),
    )
    .option('--repository <name>', 'its name; default: that of the remote "origin", or else of the folder')
    .option('--branch <name>', 'its name; default: the one that is checked out')
    .option(
      '--url-pattern <url>',
      'address of a line, with {commit}, {path} and {line}; default: from GitHub or GitLab',
    )
    .option('--no-excerpts', 'do not send the lines themselves')
    .option('--dry-run', 'only print what would be reported')
    .action((folder: string, options: ScanOptions) => scan(folder, options));
}

async function scan(folder: string, options: ScanOptions): Promise<void> {
  const server = serverOf(options);
  const origin = await originOf(folder, options);
  const flags = await server.flagNames();
  const paths = await listFiles(folder);
  const prefix = (await git(folder, 'rev-parse', '--show-prefix')) ?? '';
  const progress = showProgress();
  const { found, files, skipped } = await scanFiles({ folder, prefix, paths }, flags, (rows) =>
    progress.step({ what: 'Scanning', rows, total: paths.length }),
  );
  progress.end();
  const references = fitting(found).map(({ excerpt, ...place }) => (options.excerpts ? { ...place, excerpt } : place));
  printSummary(found, flags.length);
  process.stderr.write(
    `${found.size} of ${flags.length} flags are named in ${files} files of ${origin.repository}, branch ${origin.branch}` +
      `${skipped > 0 ? `; ${skipped} files are binary, larger than 1 MB or not readable` : ''}.\n`,
  );
  if (options.dryRun) return void process.stderr.write('Nothing was reported, because of --dry-run.\n');
  const stored = await server.report({ ...origin, references });
  process.stderr.write(`Reported ${stored} places.\n`);
}

/** The flags in code, those that are named most often first. */
function printSummary(found: Found, flagCount: number): void {
  if (found.size === 0 || flagCount === 0) return;
  const rows = [...found].sort(([a, one], [b, other]) => other.total - one.total || (a < b ? -1 : 1));
  printTable(
    ['flag', 'places', 'first'],
    rows.map(
      ([
        flag,
        {
          references: [first],
          total,
        },
      ]) => [flag, String(total), first ? `${first.path}:${first.line}` : ''],
    ),
  );
}

/** Up to the limit of a report: the first references of each flag, the same number for each. */
function fitting(found: Found): CodeReference[] {
  const lists = [...found.values()].map(({ references }) => references);
  const upTo = (most: number) => lists.flatMap((references) => references.slice(0, most));
  let most = Math.max(0, ...lists.map(({ length }) => length));
  while (most > 1 && upTo(most).length > maxReferences) most -= 1;
  return upTo(most).slice(0, maxReferences);
}

async function originOf(folder: string, options: ScanOptions): Promise<Omit<CodeReport, 'references'>> {
  const remote = remoteOf(await git(folder, 'remote', 'get-url', 'origin'));
  const branch = options.branch ?? (await git(folder, 'branch', '--show-current'));
  if (!branch) throw new OperatorError('No branch is checked out here: name it with --branch');
  const commit = await git(folder, 'rev-parse', 'HEAD');
  const urlPattern = options.urlPattern ?? (commit === undefined ? undefined : remote?.urlPattern);
  return {
    repository: options.repository ?? remote?.repository ?? basename(resolve(folder)),
    branch,
    ...(commit === undefined ? {} : { commit }),
    ...(urlPattern === undefined ? {} : { urlPattern }),
  };
}

/** `git@github.com:acme/shop.git`, `https://gitlab.com/acme/shop` and the like. */
function remoteOf(url: string | undefined): { repository: string; urlPattern?: string } | undefined {
  const [, host, repository] =
    /^(?:\w+:\/\/)?(?:[^@/]+@)?([^:/]+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(url ?? '') ?? [];
  if (!host || !repository) return undefined;
  const between = { 'github.com': 'blob', 'gitlab.com': '-/blob' }[host];
  return {
    repository,
    ...(between ? { urlPattern: `https://${host}/${repository}/${between}/{commit}/{path}#L{line}` } : {}),
  };
}

const apiPath = '/internal/api/v2';
const pageSize = 50;
const deadlineMs = 60_000;
const tries = 4;

/** The two things that are asked of the server. */
function serverOf({ server, key, project }: ScanOptions) {
  const base = server.replace(/\/+$/, '') + apiPath;
  const secret = key.startsWith('@') ? readFileSync(key.slice(1), 'utf8').trim() : key;
  const at = encodeURIComponent(project);
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    for (let tried = 1; ; tried += 1) {
      const reply = await fetch(base + path, {
        ...init,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        // Another host must not get the key.
        redirect: 'error',
        signal: AbortSignal.timeout(deadlineMs),
      }).catch((error: Error) => {
        const { message } = error.cause instanceof Error ? error.cause : error;
        throw new OperatorError(`Cannot reach ${server}: ${message}. Set --server or BURGEE_URL`);
      });
      const body = await reply.text();
      if (reply.ok) return JSON.parse(body);
      if (![429, 503].includes(reply.status) || tried === tries) throw refusal(reply.status, body, project);
      await pause(1_000 * Math.min(60, Number(reply.headers.get('retry-after')) || 2));
    }
  };
  return {
    flagNames: async (): Promise<string[]> => {
      const names: string[] = [];
      for (;;) {
        const page = (await ask(`/splits/ws/${at}?limit=${pageSize}&offset=${names.length}`)) as {
          objects: { name: string }[];
          totalCount: number;
        };
        names.push(...page.objects.map(({ name }) => name));
        if (page.objects.length === 0 || names.length >= page.totalCount) return names;
      }
    },
    report: async (body: CodeReport): Promise<number> =>
      (
        (await ask(`/code-references/ws/${at}`, { method: 'PUT', body: JSON.stringify(body) })) as {
          references: number;
        }
      ).references,
  };
}

const advice: Readonly<Record<number, string>> = {
  401: 'Set --key or BURGEE_KEY to an Admin API key',
  403: 'The key must be allowed to edit flags of the project',
  404: 'Set --project or BURGEE_PROJECT to a project that the key may see',
};

function refusal(status: number, body: string, project: string): OperatorError {
  const what = messageIn(body) ?? `The server answered with status ${status}`;
  return new OperatorError(`${what} (project ${project}). ${advice[status] ?? ''}`.trimEnd());
}

function messageIn(body: string): string | undefined {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
