/**
 * Imports that run in the background of a server, one at a time. Keys of the source are only in memory: they are taken
 * out of everything that is stored or logged.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { lookup } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { type Context, readerOf } from '#commands/context.ts';
import { saveImportEnd, saveImportProgress, startImport } from '#commands/imports.ts';
import { parseJson } from '#concurrency/json.ts';
import type { Choices, Kind } from '#domain/import/plan.ts';
import { kindTitles, placeOf, reportOf } from '#domain/import/report.ts';
import type { SourceAccount } from '#domain/import/source.ts';
import { checkSource, type ImportProgress, type ImportResult, type NewImport } from '#domain/imports.ts';
import { OperatorError } from '#domain/operator.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { NewProjects } from '#domain/restrictions.ts';
import { applyPlan } from './apply.ts';
import { readDocument } from './files/file.ts';
import { planAccount } from './here.ts';
import { readSplitAccount } from './split/account.ts';
import type { Traffic } from './split/client.ts';
import { verifyAccount } from './verify.ts';

export interface ImportJobs {
  /** Returns its id. Refuses a source that cannot be read, and while another import runs. */
  start(context: Context, asked: NewImport): Promise<string>;
  /** Resolves when it has ended, if it runs on this node. */
  stop(id: string): Promise<void>;
  /** Stops all, and waits for them. */
  close(): Promise<void>;
}

export interface JobsOptions {
  readonly newProjects: NewProjects;
  /** Whether a source may have an address that is not public, and plain HTTP. */
  readonly mayBePrivate: boolean;
  /** Told of errors that nobody expects, without keys. */
  readonly onError: (message: string) => void;
}

interface Running {
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

export function createImportJobs(options: JobsOptions): ImportJobs {
  const running = new Map<string, Running>();
  // Without the deadline and the span of the request that starts it.
  const outside = AsyncLocalStorage.snapshot();
  return {
    start: async (context, asked) => {
      refuse('import_invalid', checkSource(asked, options.mayBePrivate));
      const id = await startImport(context, { step: asked.step, source: sourceOf(asked) });
      const stopping = new AbortController();
      const job = { context, id, asked, signal: stopping.signal, stop: () => stopping.abort(), ...options };
      const ended = outside(() => run(job)).finally(() => running.delete(id));
      running.set(id, { stopping, ended });
      return id;
    },
    stop: async (id) => {
      running.get(id)?.stopping.abort();
      await running.get(id)?.ended;
    },
    close: async () => {
      for (const { stopping } of running.values()) stopping.abort();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

const sourceOf = ({ source: { url = '', file } }: NewImport): string =>
  file ? `File for ${file.project}` : (URL.parse(url)?.host ?? url);

interface Job extends JobsOptions {
  readonly context: Context;
  readonly id: string;
  readonly asked: NewImport;
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

const beatMs = 1_000;

/** Never rejects. */
async function run(job: Job): Promise<void> {
  const { context, id } = job;
  const clean = withoutKeys(job.asked);
  const ended = new AbortController();
  const traffic: Traffic = { requests: 0, waitedMs: 0 };
  let progress: ImportProgress = {};
  const save = () => {
    const now: ImportProgress = { ...progress, ...traffic, waitedMs: Math.round(traffic.waitedMs) };
    return saveImportProgress(context, id, toJson(now, clean));
  };
  const beats = (async () => {
    while (await pause(beatMs, true, { signal: ended.signal }).catch(() => false)) {
      // While the database is down, this cannot be written; the work itself fails and reports it.
      const isWanted = await save().catch(() => true);
      if (!isWanted) job.stop();
    }
  })();
  const showProgress = (next: ImportProgress) => {
    const isNew = next.phase !== progress.phase;
    const { phaseStartedAt = 0 } = progress;
    progress = { ...next, phaseStartedAt: isNew ? readerOf(context).clock() : phaseStartedAt };
  };
  const { state, result } = await outcomeOf({ ...job, traffic, showProgress }, clean);
  ended.abort();
  await beats;
  await save().catch(() => undefined);
  await saveImportEnd(context, id, { state, result: toJson(result, clean) }).catch((error: unknown) =>
    job.onError(clean(String(error))),
  );
}

/** Only texts are cleaned, so that a strange key cannot break the JSON. */
const toJson = (value: object, clean: Clean): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'string' ? clean(part) : part));

interface Work extends Job {
  readonly traffic: Traffic;
  readonly showProgress: (progress: ImportProgress) => void;
}

interface Outcome {
  readonly state: 'done' | 'failed' | 'interrupted';
  readonly result: ImportResult;
}

async function outcomeOf(job: Work, clean: Clean): Promise<Outcome> {
  try {
    return { state: 'done', result: await work(job) };
  } catch (error) {
    if (job.signal.aborted)
      return { state: 'interrupted', result: { problem: 'It was stopped. What it wrote stays.' } };
    if (error instanceof OperatorError) return { state: 'failed', result: { problem: error.message } };
    if (error instanceof Problem) return { state: 'failed', result: { problem: error.details || error.message } };
    job.onError(clean(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    return { state: 'failed', result: { problem: 'An internal error; the log of the server has more.' } };
  }
}

/** Of each concern, difference and refusal: nobody reads more on a page. */
const maxLines = 500;

async function work(job: Work): Promise<ImportResult> {
  const { context, asked, signal, newProjects, showProgress } = job;
  const db = readerOf(context);
  const choices = choicesOf(asked);
  const account = await readAccount(job);
  const compare = (phase: 'rehearsing' | 'verifying', options: Omit<Parameters<typeof verifyAccount>[2], 'signal'>) =>
    verifyAccount(db, account, {
      ...options,
      choices,
      signal,
      onProgress: ({ done, total, environments }) =>
        showProgress({ phase, done, total, environments: environments.map((one) => ({ ...one })) }),
    });
  if (asked.step === 'verify') {
    const comparison = await compare('verifying', { perFlag: asked.keysPerFlag ?? 1_000 });
    return { comparison: { ...comparison, differences: comparison.differences.slice(0, maxLines) } };
  }
  showProgress({ phase: 'planning' });
  const plan = await planAccount(db, account, { choices, signal });
  if (asked.step === 'plan') {
    const rehearsal = await compare('rehearsing', { perFlag: asked.keysPerFlag ?? 100, plan });
    return { report: reportOf(plan, { at: db.clock(), rehearsal, maxLines }) };
  }
  const { written, refused } = await applyPlan(context, plan, {
    signal,
    newProjects,
    onProgress: ({ done, total, kind }) => showProgress({ phase: 'importing', doing: kindTitles[kind], done, total }),
  });
  return {
    report: reportOf(plan, { at: db.clock(), maxLines }),
    written: Object.entries(written).map(([kind, count]) => ({ kind: kind as Kind, count })),
    refused: refused.slice(0, maxLines).map(({ item, reason }) => ({ what: placeOf(item), reason })),
    refusedCount: refused.length,
  };
}

function choicesOf({ choices: { projects = [], newSeeds = [], invite } = {} }: NewImport): Choices {
  return {
    projects: Object.fromEntries(projects.map(({ name, as = name }) => [name, as])),
    newSeeds: Object.fromEntries(newSeeds.map((environment) => [environment, 'accept'])),
    invite,
  };
}

async function readAccount({ asked, signal, mayBePrivate, traffic, showProgress }: Work): Promise<SourceAccount> {
  const { source, keys, choices: { projects = [], only } = {} } = asked;
  if (source.file) {
    const { text, project, environment } = source.file;
    showProgress({ phase: 'reading', doing: 'The file' });
    const document = await parseJson(text).catch(() => {
      throw new OperatorError('The file is not JSON');
    });
    return readDocument(document, { file: 'The file', project, environment });
  }
  showProgress({ phase: 'reading' });
  return readSplitAccount({
    url: source.url ?? '',
    sdkUrl: source.sdkUrl,
    signal,
    adminKey: keys?.admin ?? '',
    sdkKeys: Object.fromEntries((keys?.sdk ?? []).map(({ environment, key }) => [environment, key])),
    ...(projects.length > 0 ? { projects: projects.map(({ name }) => name) } : {}),
    ...(only && only.length > 0 ? { only } : {}),
    ...(mayBePrivate ? {} : { check: requirePublic }),
    traffic,
    onProgress: ({ doing, done, total }) => showProgress({ phase: 'reading', doing, done, total }),
  });
}

/**
 * An administrator chooses the address, and the server asks it: it must not be one of the server's own network. The
 * host could get another address right after this check, but then it could not have the certificate for its name.
 */
async function requirePublic({ hostname }: URL): Promise<void> {
  const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => {
    throw new OperatorError(`There is no host ${hostname}`);
  });
  if (addresses.every(({ address }) => ipaddr.process(address).range() === 'unicast')) return;
  throw new OperatorError(
    `${hostname} is not a public address. To import from there, run the server with IMPORT_PRIVATE_SOURCES=true, or ` +
      'use burgee import on the command line',
  );
}

type Clean = (text: string) => string;

/** Errors quote what the source answers, and that may quote the key. */
function withoutKeys({ keys }: NewImport): Clean {
  const secrets = keys ? [keys.admin, ...(keys.sdk ?? []).map(({ key }) => key)] : [];
  return (text) => secrets.reduce((rest, key) => rest.replaceAll(key, '[key]'), text);
}
