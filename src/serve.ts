/** Starts the server and stops it gracefully. Read from top to bottom. */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { offerSetup } from '#commands/accounts.ts';
import { expireChangeset } from '#commands/changeset-reviews.ts';
import { contextFor } from '#commands/context.ts';
import { applyStep, failStep } from '#commands/schedules.ts';
import { type FirstStart, setUp, system } from '#commands/setup.ts';
import { transactionIds } from '#commands/transaction-ids.ts';
import { readDisk, startDisk } from '#delivery/disk.ts';
import { type Delivery, startDelivery } from '#delivery/start.ts';
import { tokenSecretsOf } from '#delivery/tokens.ts';
import { DatabaseDown, OperatorError } from '#domain/operator.ts';
import type { Surroundings } from '#http/routes/server.ts';
import { limitConnections } from '#http/server/connections.ts';
import { startAuditRetention } from '#jobs/audit-retention.ts';
import { startBackups } from '#jobs/backups.ts';
import { startExpiry } from '#jobs/changesets.ts';
import { startCleanup } from '#jobs/cleanup.ts';
import { startDefinitionFacts } from '#jobs/definition-facts.ts';
import { doWithoutMailServer, mailHandlers, setupLink, smtpSender, testMailSender } from '#jobs/mail.ts';
import { startNode } from '#jobs/nodes.ts';
import { startOutbox } from '#jobs/outbox.ts';
import { startReminders } from '#jobs/reminders.ts';
import { startSchedules } from '#jobs/schedules.ts';
import { startSdkSharing } from '#jobs/sdk-sharing.ts';
import { startTraffic } from '#jobs/traffic.ts';
import { startWatchMails } from '#jobs/watches.ts';
import { findAccount } from '#store/account.ts';
import { completeSummaries } from '#store/definition-summaries.ts';
import { completeFlagCounts, completeFlagPlaces, completeFlagTags } from '#store/flags.ts';
import { fileOf, isFile, openStore } from '#store/open.ts';
import { completeReferences } from '#store/references.ts';
import type { Store } from '#store/sql.ts';
import { startTelemetry, type Telemetry } from '#telemetry/start.ts';
import manifest from '../package.json' with { type: 'json' };
import { createApp } from './app.ts';
import { type Config, localUrl } from './config.ts';
import { startStandby } from './standby.ts';

/** Open requests get this long to finish after a signal; operators are promised ten seconds in total. */
const graceMs = 7_500;
/** How long the last counts may take if the database is slow. */
const flushMs = 1_500;
/** How long clients are told to close their connections before the server stops listening. */
const farewellMs = 500;

/** Throws an Error with a one-sentence message if it cannot start. */
export async function serve(config: Config): Promise<void> {
  const log = await createLog(config.logLevel);
  const store = await openOrStandBy(config, log);
  await completeFlagTags(store);
  await completeFlagCounts(store);
  await completeFlagPlaces(store);
  await completeReferences(store);
  await completeSummaries(store);
  const { adminKeyText, newProjects } = config;
  const firstStart = await setUp(store, { adminKeyText, newProjects, transactionId: transactionIds()() });
  await begin({ config, log, store, firstStart }).catch(async (error: unknown) => {
    // Show the key now: no later start can.
    if (firstStart && !config.adminKeyText) {
      process.stdout.write(`Admin API key (shown only once): ${firstStart.adminKeyText}\n`);
    }
    await store.close();
    throw error;
  });
}

/** JSON lines, or readable ones on a terminal. Keys and cookies are redacted. */
async function createLog(level: string): Promise<Logger> {
  const options = {
    level,
    base: null,
    redact: ['req.headers.authorization', 'req.headers["x-api-key"]', 'req.headers.cookie'],
  };
  if (!process.stdout.isTTY) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ sync: true, translateTime: 'HH:MM:ss' }));
}

/** How often a database that is down is tried again. */
const retryMs = 1_000;

/** While the database is down, SDKs are served from the copy on the local disk, if there is one. */
async function openOrStandBy(config: Config, log: Logger): Promise<Store> {
  const open = async () => {
    requireDatabase(config);
    return openStore(config, Date.now, (error) => endAfterFailedFlush(log, error));
  };
  const whileDown = (error: unknown) => {
    if (!(error instanceof DatabaseDown)) throw error;
    return error;
  };
  const first = await open().catch(whileDown);
  if (!(first instanceof DatabaseDown)) return first;
  const copy = config.snapshotFile === undefined ? undefined : readDisk(config.snapshotFile);
  if (!copy) throw first;
  log.error({ err: first }, 'the database is down: only SDKs are served, from the snapshot on the disk');
  const standby = await startStandby(config, log, copy).catch((error: unknown) => {
    throw notListening(error, config);
  });
  log.info(`Burgee listens at ${localUrl(config.host, standby.port)}, for SDKs only`);
  try {
    for (;;) {
      await pause(retryMs);
      const store = await open().catch(whileDown);
      if (!(store instanceof DatabaseDown)) return store;
    }
  } finally {
    await standby.stop();
  }
}

/** A new database in the place of one that was moved away would refuse all of its SDKs, and overwrite their copy. */
function requireDatabase({ databaseUrl, snapshotFile }: Config): void {
  if (!isFile(databaseUrl) || snapshotFile === undefined || !existsSync(snapshotFile)) return;
  const file = fileOf(databaseUrl);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  throw new DatabaseDown(
    `The database file ${file} is ${size === undefined ? 'missing' : 'empty'}; put it back, or delete ${snapshotFile} to start with a new one`,
  );
}

/** Lets pending refusals be sent. */
const lastAnswersMs = 500;

/**
 * After a failed flush, data may be lost even if a second one succeeds, because the kernel drops what it could not
 * write. So the process exits, as PostgreSQL does, and the next start reads what is really on disk.
 */
function endAfterFailedFlush(log: Logger, error: unknown): void {
  log.fatal({ err: error }, 'a commit could not be flushed to the disk; the server stops');
  setTimeout(() => process.exit(1), lastAnswersMs);
}

interface Beginning {
  readonly config: Config;
  readonly log: Logger;
  readonly store: Store;
  readonly firstStart: FirstStart | undefined;
}

async function begin({ config, log, store: unwatched, firstStart }: Beginning): Promise<void> {
  const telemetry = await telemetryOf(config, log, unwatched);
  const { store, answered, traces } = telemetry;
  const account = await findAccount(store);
  if (!account) throw new Error('The database has no account and none could be made');
  const { publicUrl: givenUrl, trustProxy, corsOrigins, rateLimits } = config;
  const { acceptPartialPut, newProjects, requestDays, importPrivateSources } = config;
  const writing = { acceptPartialPut, newProjects, requestDays, importPrivateSources };
  const settings = { publicUrl: givenUrl, trustProxy, corsOrigins, rateLimits, ...writing };
  const { snapshotFile: file } = config;
  const disk = file === undefined ? undefined : startDisk({ file, secrets: tokenSecretsOf(account), log });
  const delivery = await startDelivery({ store, log, disk });
  telemetry.watchSdks({
    streams: delivery.streams.figures,
    traffic: delivery.traffic.figures,
    connected: () =>
      delivery.sdks.figures((id) => {
        const snapshot = delivery.feed.current(id);
        return snapshot instanceof Promise ? undefined : snapshot?.flagsNumber;
      }),
    onArrival: delivery.sdks.onArrival,
  });
  const surroundings = surroundingsOf(config);
  const app = await createApp({ store, account, log, delivery, ...settings, surroundings, answered, traces });
  limitConnections(app.server, config.connections, { trustProxy, log });
  const jobs: Job[] = [delivery];
  const traffic = startTraffic({ store, log, traffic: delivery.traffic });
  stopOnSignal({ app, store, log, delivery, jobs, traffic, telemetry });
  const setupToken = await offerSetup(contextFor(store, { actor: system, transactionId: transactionIds()() }));
  const listeningAt = await listen(app, config);
  // From here on the database may be unavailable: a listening node survives that.
  const publicUrl = givenUrl ?? listeningAt;
  jobs.push(startOutbox({ store, log, ...mailing({ config, log, store }, publicUrl) }));
  jobs.push(startCleanup({ store, log, trafficDays: config.trafficDays }));
  jobs.push(startDefinitionFacts({ store, log }));
  // Without a mail server, these mails would only pile up.
  if (config.mail) jobs.push(startReminders({ store, log }), startWatchMails({ store, log }));
  const as = (id: string, name: string) =>
    contextFor(store, { actor: { ...system, id, name }, transactionId: transactionIds()() });
  jobs.push(startExpiry({ store, log, expire: (id) => expireChangeset(as('expiry', 'Expiry of requests'), id) }));
  const asSchedule = () => as('schedule', 'Schedule');
  jobs.push(
    startSchedules({
      store,
      log,
      apply: (due) => applyStep(asSchedule(), due),
      fail: (due, refusal) => failStep(asSchedule(), due, refusal),
    }),
  );
  // On SQLite there is only this node.
  if (!isFile(config.databaseUrl)) {
    jobs.push(startSdkSharing({ store, log, sdks: delivery.sdks }));
    jobs.push(startNode({ store, log, version: manifest.version }));
  }
  if (config.auditDays) jobs.push(startAuditRetention({ store, log, days: config.auditDays }));
  if (config.backups) jobs.push(startBackups({ store, log, settings: config.backups, make: backUpBeside }));
  if (firstStart) printFirstStart({ listeningAt, publicUrl }, firstStart, config);
  else if (setupToken) process.stdout.write(`\n${setupLines(publicUrl, setupToken)}\n`);
}

/** Without passwords. */
function surroundingsOf({
  databaseUrl,
  mail,
  backups,
  host,
  port,
  publicUrl = localUrl(host, port),
}: Config): Surroundings {
  const isSqlite = isFile(databaseUrl);
  return {
    database: isSqlite ? 'sqlite' : 'postgresql',
    databaseFolder: isSqlite ? dirname(resolve(databaseUrl.slice('file:'.length))) : undefined,
    mail: mail && { host: new URL(mail.smtpUrl).host, from: mail.from },
    sendTestMail: mail && testMailSender(mail.smtpUrl, mail.from, publicUrl),
    backups: backups && { ...backups, folder: resolve(backups.folder) },
  };
}

/** How mails leave the outbox: through the mail server, or through the log. */
function mailing({ config: { mail }, log, store }: Omit<Beginning, 'firstStart'>, publicUrl: string) {
  if (!mail) return { handlers: {}, onWake: () => doWithoutMailServer(store, log, publicUrl) };
  const send = smtpSender(mail.smtpUrl, mail.from, publicUrl);
  return { handlers: mailHandlers(send, () => store.clock()) };
}

/** In a separate process with the same settings: reading and checking everything would delay requests here. */
async function backUpBeside(file: string, signal: AbortSignal): Promise<void> {
  const [program = ''] = process.argv.slice(1);
  await promisify(execFile)(process.execPath, [program, 'backup', file], { signal });
}

async function telemetryOf(config: Config, log: Logger, store: Store): Promise<Telemetry> {
  const { metrics, tracing, databaseUrl, backups } = config;
  const databaseSystem = isFile(databaseUrl) ? 'sqlite' : 'postgresql';
  const facts = { version: manifest.version, databaseSystem, hasBackups: backups !== undefined } as const;
  return startTelemetry({ store, log, ...facts, metrics, tracing }).catch((error: unknown) => {
    if (!metrics) throw error;
    throw new OperatorError(
      whyNotListening(error as NodeJS.ErrnoException, {
        ...metrics,
        names: { host: 'METRICS_HOST', port: 'METRICS_PORT' },
      }),
    );
  });
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await app.listen({ host, port, listenTextResolver: (address) => `Burgee listens at ${address}` });
  } catch (error) {
    throw notListening(error, { host, port });
  }
  const { port: actualPort } = app.server.address() as AddressInfo;
  return localUrl(host, actualPort);
}

export const notListening = (error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): OperatorError =>
  new OperatorError(
    whyNotListening(error as NodeJS.ErrnoException, { host, port, names: { host: 'HOST', port: 'PORT' } }),
  );

function whyNotListening(
  { code, message }: NodeJS.ErrnoException,
  { host, port, names }: { host: string; port: number; names: { host: string; port: string } },
): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use; stop what listens there or set ${names.port}`;
  if (code === 'EACCES')
    return `Port ${port} requires privileges that this user does not have; set ${names.port} to 1024 or more`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `${names.host} ${host} is not a known host`;
  if (code === 'EADDRNOTAVAIL') return `${names.host} ${host} is not an address of this machine`;
  return `Burgee cannot listen at ${host}:${port}: ${message}`;
}

const setupLines = (publicUrl: string, token: string): string => `Set up the first administrator, in a browser:

  ${setupLink(publicUrl, token)}
`;

/** Shown once, at the first start, so it is not a log line. */
function printFirstStart(
  { listeningAt, publicUrl }: { listeningAt: string; publicUrl: string },
  { adminKeyText, setupToken }: FirstStart,
  config: Config,
): void {
  const handedIn = config.adminKeyText !== undefined;
  const key = handedIn ? '$BURGEE_ADMIN_API_KEY' : adminKeyText;
  process.stdout.write(`
Burgee listens at ${listeningAt}

${setupLines(publicUrl, setupToken)}
${handedIn ? 'The admin API key is the value of BURGEE_ADMIN_API_KEY.' : `The admin API key, shown only once:\n\n  ${adminKeyText}`}

Try it:

  curl -H "Authorization: Bearer ${key}" ${listeningAt}/internal/api/v2/workspaces

API reference: ${listeningAt}/docs

`);
}

/** Runs beside requests. `stop` resolves when none of its work is in progress. */
interface Job {
  stop(): Promise<void>;
}

interface Running {
  readonly app: FastifyInstance;
  readonly store: Store;
  readonly log: Logger;
  readonly delivery: Delivery;
  readonly jobs: readonly Job[];
  /** Stopped after the last request, which it counts. */
  readonly traffic: Job;
  readonly telemetry: Telemetry;
}

/** Stops accepting, finishes open requests, closes the database, exits with 0. A second signal has no effect. */
function stopOnSignal({ app, store, log, delivery, jobs, traffic, telemetry }: Running): void {
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // Tells clients to send no further requests on their connections before these are closed.
    app.server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
    // At once, so that SDKs connect to another node while this one still answers polls.
    await Promise.all([delivery.streams.end(), pause(farewellMs)]);
    setTimeout(() => app.server.closeAllConnections(), graceMs).unref();
    // Clients would keep a connection alive after its last request.
    setInterval(() => app.server.closeIdleConnections(), 100).unref();
    // A mail server that hangs must not delay the stop: its mail is sent again after the next start.
    const stopped = Promise.all(jobs.map((job) => job.stop()));
    await Promise.all([app.close(), Promise.race([stopped, pause(graceMs, undefined, { ref: false })])]);
    await Promise.race([traffic.stop(), pause(flushMs, undefined, { ref: false })]);
    // Last, to include the last requests.
    await Promise.all([store.close(), telemetry.stop()]);
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
}
