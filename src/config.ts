/** Reads and validates the environment variables. Nothing else reads `process.env`. */

import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { OperatorError } from '#domain/operator.ts';
import { isNewProjects, type NewProjects, newProjectsChoices } from '#domain/restrictions.ts';
import type { RateLimits } from '#http/limits/rate.ts';
import type { ConnectionLimits } from '#http/server/connections.ts';
import type { AllowedOrigins } from '#http/server/cors.ts';
import type { BackupSettings } from '#jobs/backups.ts';
import { mayBeKey } from '#security/secrets.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  /** `file:` and a path, or a PostgreSQL URL. */
  readonly databaseUrl: string;
  /** Maximum number of PostgreSQL connections of this process. */
  readonly databasePool: number;
  /** Where this node keeps a copy of what SDKs read; undefined: nowhere. */
  readonly snapshotFile: string | undefined;
  /** The server's address for users, without a trailing slash; undefined: the listen address. */
  readonly publicUrl: string | undefined;
  readonly adminKeyText: string | undefined;
  readonly logLevel: string;
  /** Addresses of proxies whose forwarded client address is trusted; undefined: none. */
  readonly trustProxy: string | undefined;
  /** Origins whose pages may use the Admin API with a key. */
  readonly corsOrigins: AllowedOrigins;
  readonly connections: ConnectionLimits;
  readonly rateLimits: RateLimits;
  /** Whether `PUT` of a user keeps members that the body leaves out. */
  readonly acceptPartialPut: boolean;
  /** Who may see and edit a new project. */
  readonly newProjects: NewProjects;
  /** Whether imports in the interface may read from addresses that are not public. */
  readonly importPrivateSources: boolean;
  /** The mail server and the sender; undefined: mails stay in the outbox. */
  readonly mail: { readonly smtpUrl: string; readonly from: string } | undefined;
  /** Nightly backups; undefined: none. */
  readonly backups: BackupSettings | undefined;
  /** How many days audit entries are kept; undefined: forever. */
  readonly auditDays: number | undefined;
  /** How many days counts of evaluations and events are kept. */
  readonly trafficDays: number;
  /** How many days a changeset waits for approvals. */
  readonly requestDays: number;
  /** Listen address for Prometheus; undefined: no metrics. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Where spans are sent; undefined: no traces. */
  readonly tracing: Tracing | undefined;
}

export interface Tracing {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Fraction of traced requests among those whose caller does not decide, 0 to 1. */
  readonly share: number;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Throws an OperatorError with a sentence for each error. An empty variable counts as absent. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const complaints: string[] = [];
  const read = (name: string, check: (value: string) => string | undefined): string | undefined => {
    const value = env[name] || undefined;
    const complaint = value === undefined ? undefined : check(value);
    if (complaint) complaints.push(`${name} ${complaint}`);
    return value;
  };
  const host = read('HOST', notAHost);
  const port = read('PORT', notAPort);
  const databaseUrl = read('DATABASE_URL', (value) =>
    /^(?:file:.|postgres(?:ql)?:\/\/.)/.test(value)
      ? undefined
      : 'must name a file, for example file:./data/burgee.db, or a PostgreSQL database, for example postgres://user:password@host/burgee',
  );
  const databasePool = read('DATABASE_POOL', aNumber('connections', 999));
  const snapshotFolder = read('SNAPSHOT_FOLDER', () => undefined);
  const publicUrl = read('PUBLIC_URL', (value) =>
    !isHttpUrl(value)
      ? `must be a URL such as https://flags.example.com, not ${value}`
      : /^\/*$/.test(new URL(value).pathname)
        ? undefined
        : `must not have a path, as ${value} has: Burgee works only at the root of a host`,
  );
  const adminKeyText = read('BURGEE_ADMIN_API_KEY', (value) =>
    !/^[\x21-\x7e]{16,}$/.test(value)
      ? 'must be 16 characters or more of ASCII, without spaces'
      : mayBeKey(value)
        ? undefined
        : 'looks like a key that Burgee made, but its checksum is wrong: was it copied whole?',
  );
  const logLevel = read('LOG_LEVEL', (value) =>
    logLevels.includes(value) ? undefined : `must be one of ${logLevels.join(', ')}, not ${value}`,
  );
  const trustProxy = read('TRUST_PROXY', (value) =>
    value.split(',').every(isAddressOrNetwork)
      ? undefined
      : `must list addresses or networks of proxies, for example 127.0.0.1,10.0.0.0/8, not ${value}`,
  );
  const corsOrigins = read('CORS_ORIGINS', (value) =>
    value === '*' || value.split(',').every(isOrigin)
      ? undefined
      : `must be * or list origins such as https://tools.example.com,http://localhost:8081, not ${value}`,
  );
  const maxConnections = read('MAX_CONNECTIONS', aNumber('connections', 100_000));
  const perConnectedAddress = read('MAX_CONNECTIONS_PER_ADDRESS', aNumber('connections', 100_000));
  const keepAliveSeconds = read('KEEP_ALIVE_SECONDS', aNumber('seconds', 3_600));
  const perKey = read('RATE_LIMIT_PER_KEY', aNumber('requests a minute', 1_000_000));
  const perAddress = read('RATE_LIMIT_PER_ADDRESS', aNumber('requests a minute', 1_000_000));
  const acceptPartialPut = read('ACCEPT_PARTIAL_PUT', (value) =>
    ['true', 'false'].includes(value) ? undefined : `must be true or false, not ${value}`,
  );
  const importPrivateSources = read('IMPORT_PRIVATE_SOURCES', (value) =>
    ['true', 'false'].includes(value) ? undefined : `must be true or false, not ${value}`,
  );
  const newProjects = read('NEW_PROJECTS', (value) =>
    isNewProjects(value) ? undefined : `must be one of ${newProjectsChoices.join(', ')}, not ${value}`,
  );
  const smtpUrl = read('SMTP_URL', (value) =>
    ['smtp:', 'smtps:'].includes(URL.parse(value)?.protocol ?? '')
      ? undefined
      : 'must be a URL such as smtp://user:password@mail.example.com:587',
  );
  const mailFrom = read('MAIL_FROM', (value) =>
    /^[^\r\n]*\S@\S[^\r\n]*$/.test(value) ? undefined : 'must be an address such as Burgee <burgee@example.com>',
  );
  if (smtpUrl && !mailFrom) complaints.push('MAIL_FROM is needed with SMTP_URL: the address that mails are from');
  const backupFolder = read('BACKUP_FOLDER', () => undefined);
  const backupAt = read('BACKUP_AT', (value) =>
    /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value)
      ? undefined
      : `must be a time of the day in UTC such as 02:30, not ${value}`,
  );
  const backupKeep = read('BACKUP_KEEP', aNumber('backups', 9_999));
  if (!backupFolder && (backupAt || backupKeep)) {
    complaints.push('BACKUP_FOLDER is needed with BACKUP_AT and BACKUP_KEEP: the folder that backups go to');
  }
  const auditDays = read('AUDIT_DAYS', aNumber('days', 36_500));
  const trafficDays = read('TRAFFIC_DAYS', aNumber('days', 36_500));
  const requestDays = read('REQUEST_DAYS', aNumber('days', 36_500));
  const metricsPort = read('METRICS_PORT', notAPort);
  const metricsHost = read('METRICS_HOST', notAHost);
  if (metricsHost && !metricsPort) complaints.push('METRICS_PORT is needed with METRICS_HOST');
  if (metricsPort && isSamePort({ host, port }, { host: metricsHost, port: metricsPort })) {
    complaints.push(`METRICS_PORT must not be ${metricsPort}, where the server itself listens (PORT)`);
  }
  const tracing = readTracing(read);
  if (complaints.length > 0) throw new OperatorError(complaints.join('\n'));
  return {
    host: host ?? localHost,
    port: Number(port ?? defaultPort),
    databaseUrl: databaseUrl ?? defaultDatabaseUrl,
    databasePool: Number(databasePool ?? 10),
    snapshotFile: snapshotFileOf(databaseUrl ?? defaultDatabaseUrl, snapshotFolder),
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    adminKeyText,
    logLevel: logLevel ?? 'info',
    trustProxy,
    corsOrigins: corsOrigins === '*' ? '*' : (corsOrigins?.split(',') ?? []),
    connections: {
      max: Number(maxConnections ?? 20_000),
      maxPerAddress: Number(perConnectedAddress ?? 12_000),
      keepAliveSeconds: Number(keepAliveSeconds ?? 72),
    },
    rateLimits: { perKey: numberOrNone(perKey), perAddress: numberOrNone(perAddress) },
    acceptPartialPut: acceptPartialPut === 'true',
    importPrivateSources: importPrivateSources === 'true',
    newProjects: newProjects && isNewProjects(newProjects) ? newProjects : 'open',
    mail: smtpUrl && mailFrom ? { smtpUrl, from: mailFrom } : undefined,
    backups: backupFolder
      ? { folder: backupFolder, at: timeOfDay(backupAt ?? '02:00'), keep: Number(backupKeep ?? 14) }
      : undefined,
    auditDays: numberOrNone(auditDays),
    trafficDays: Number(trafficDays ?? 400),
    requestDays: Number(requestDays ?? 30),
    metrics: metricsPort ? { host: metricsHost ?? localHost, port: Number(metricsPort) } : undefined,
    tracing,
  };
}

const aNumber = (what: string, max: number) => (value: string) =>
  /^[1-9]\d{0,6}$/.test(value) && Number(value) <= max
    ? undefined
    : `must be a number of ${what} from 1 to ${max}, not ${value}`;

interface Listening {
  readonly host: string | undefined;
  readonly port: string | undefined;
}

/** Whether only one of both can be bound. Port 0 is any free port. */
function isSamePort(one: Listening, other: Listening): boolean {
  const [first, second] = [one, other].map(({ host = localHost }) => host);
  const port = Number(one.port ?? defaultPort);
  const sharesHost = first === second || [first, second].some((host) => anyAddresses.includes(host ?? ''));
  return port !== 0 && port === Number(other.port) && sharesHost;
}

const localHost = '127.0.0.1';
const defaultPort = 8080;
const anyAddresses = ['0.0.0.0', '::'];

const defaultDatabaseUrl = 'file:./data/burgee.db';

/** In the folder; without one beside a database file, and nowhere for PostgreSQL, whose nodes may have no disk. */
function snapshotFileOf(databaseUrl: string, folder: string | undefined): string | undefined {
  if (folder !== undefined) return resolve(folder, 'sdk-snapshot.db');
  if (!databaseUrl.startsWith('file:')) return undefined;
  return resolve(`${databaseUrl.slice('file:'.length).replace(/\.db$/, '')}-sdk-snapshot.db`);
}

const numberOrNone = (text: string | undefined) => (text === undefined ? undefined : Number(text));

function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

type Read = (name: string, check: (value: string) => string | undefined) => string | undefined;

const notAHost = (value: string) => (/\s/.test(value) ? 'must be a host name or an address' : undefined);
const notAPort = (value: string) =>
  /^\d+$/.test(value) && Number(value) <= 65_535 ? undefined : `must be a number from 0 to 65535, not ${value}`;

/** The OpenTelemetry variables that we support. */
function readTracing(read: Read): Tracing | undefined {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT', (value) =>
    isHttpUrl(value) && !URL.parse(value)?.username
      ? undefined
      : 'must be a URL such as http://127.0.0.1:4318; put credentials into OTEL_EXPORTER_OTLP_HEADERS',
  );
  const headers = read('OTEL_EXPORTER_OTLP_HEADERS', (value) =>
    headersOf(value) ? undefined : 'must be a list such as authorization=Bearer%20abc,x-tenant=flags',
  );
  const serviceName = read('OTEL_SERVICE_NAME', () => undefined);
  const share = read('OTEL_TRACES_SAMPLER_ARG', (value) =>
    /^(?:0|1|0?\.\d+|1\.0+)$/.test(value) ? undefined : `must be a number from 0 to 1, not ${value}`,
  );
  if (!endpoint) return undefined;
  return {
    endpoint,
    headers: headersOf(headers ?? '') ?? {},
    serviceName: serviceName ?? 'burgee',
    share: Number(share ?? 1),
  };
}

/** Undefined if it is not a list of names and percent-encoded values. */
function headersOf(text: string): Record<string, string> | undefined {
  try {
    const pairs = text.split(',').filter((pair) => pair.trim() !== '');
    const headers = new Headers(pairs.map((pair) => headerOf(pair)));
    return Object.fromEntries(headers);
  } catch {
    return undefined;
  }
}

function headerOf(pair: string): [name: string, value: string] {
  const [name = '', ...value] = pair.split('=');
  return [name.trim(), decodeURIComponent(value.join('=').trim())];
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && !/[?#]/.test(text);
}

/** `10.0.0.1` or `10.0.0.0/8`, written in full: Fastify and the connection limit throw on anything else. */
function isAddressOrNetwork(text: string): boolean {
  const [, address = '', bits = '1'] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const maxBits = { 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return Number(bits) >= 1 && Number(bits) <= maxBits;
}

/** As browsers send it in `Origin`: nothing after the host. */
const isOrigin = (text: string): boolean => isHttpUrl(text) && URL.parse(text)?.origin === text;

/** The URL of a server on this machine with that listen address. */
export function localUrl(host: string, port: number): string {
  return `http://${anyAddresses.includes(host) ? localHost : host.includes(':') ? `[${host}]` : host}:${port}`;
}
