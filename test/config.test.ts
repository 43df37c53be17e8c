import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { OperatorError } from '#domain/operator.ts';
import { readConfig } from '../src/config.ts';

const defaults = {
  host: '127.0.0.1',
  port: 8080,
  databaseUrl: 'file:./data/burgee.db',
  databasePool: 10,
  snapshotFile: resolve('data/burgee-sdk-snapshot.db'),
  publicUrl: undefined,
  adminKeyText: undefined,
  logLevel: 'info',
  trustProxy: undefined,
  corsOrigins: [],
  connections: { max: 20_000, maxPerAddress: 12_000, keepAliveSeconds: 72 },
  rateLimits: { perKey: undefined, perAddress: undefined },
  acceptPartialPut: false,
  importPrivateSources: false,
  newProjects: 'open',
  mail: undefined,
  backups: undefined,
  auditDays: undefined,
  trafficDays: 400,
  requestDays: 30,
  metrics: undefined,
  tracing: undefined,
};

test('without any variable the defaults hold', () => {
  assert.deepEqual(readConfig({}), defaults);
});

test('a variable that is empty counts as absent', () => {
  const empty = {
    HOST: '',
    PORT: '',
    DATABASE_URL: '',
    DATABASE_POOL: '',
    SNAPSHOT_FOLDER: '',
    PUBLIC_URL: '',
    BURGEE_ADMIN_API_KEY: '',
    LOG_LEVEL: '',
    CORS_ORIGINS: '',
    MAX_CONNECTIONS: '',
    MAX_CONNECTIONS_PER_ADDRESS: '',
    KEEP_ALIVE_SECONDS: '',
    RATE_LIMIT_PER_KEY: '',
    RATE_LIMIT_PER_ADDRESS: '',
    ACCEPT_PARTIAL_PUT: '',
    IMPORT_PRIVATE_SOURCES: '',
    NEW_PROJECTS: '',
    SMTP_URL: '',
    MAIL_FROM: '',
    BACKUP_FOLDER: '',
    BACKUP_AT: '',
    BACKUP_KEEP: '',
    METRICS_PORT: '',
    METRICS_HOST: '',
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
  };
  assert.deepEqual(readConfig(empty), defaults);
});

test('every variable is read', () => {
  const config = readConfig({
    HOST: '0.0.0.0',
    PORT: '0',
    DATABASE_URL: 'postgres://burgee:secret@db.example.com/burgee',
    DATABASE_POOL: '20',
    SNAPSHOT_FOLDER: '/snapshots',
    PUBLIC_URL: 'https://flags.example.com',
    BURGEE_ADMIN_API_KEY: 'sixteen-letters!',
    LOG_LEVEL: 'silent',
    TRUST_PROXY: '127.0.0.1,10.0.0.0/8,::1,fd00::/8',
    CORS_ORIGINS: 'https://tools.example.com,http://localhost:8081',
    MAX_CONNECTIONS: '100',
    MAX_CONNECTIONS_PER_ADDRESS: '10',
    KEEP_ALIVE_SECONDS: '620',
    RATE_LIMIT_PER_KEY: '600',
    RATE_LIMIT_PER_ADDRESS: '1200',
    ACCEPT_PARTIAL_PUT: 'true',
    IMPORT_PRIVATE_SOURCES: 'true',
    NEW_PROJECTS: 'read-only',
    SMTP_URL: 'smtps://burgee:secret@mail.example.com',
    MAIL_FROM: 'Burgee <burgee@example.com>',
    BACKUP_FOLDER: '/backup',
    BACKUP_AT: '03:30',
    BACKUP_KEEP: '7',
    AUDIT_DAYS: '400',
    TRAFFIC_DAYS: '90',
    REQUEST_DAYS: '7',
    METRICS_PORT: '9464',
    METRICS_HOST: '10.0.0.11',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc%3D, X-Tenant=flags=1',
    OTEL_SERVICE_NAME: 'flags',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  });
  assert.deepEqual(config, {
    host: '0.0.0.0',
    port: 0,
    databaseUrl: 'postgres://burgee:secret@db.example.com/burgee',
    databasePool: 20,
    snapshotFile: '/snapshots/sdk-snapshot.db',
    publicUrl: 'https://flags.example.com',
    adminKeyText: 'sixteen-letters!',
    logLevel: 'silent',
    trustProxy: '127.0.0.1,10.0.0.0/8,::1,fd00::/8',
    corsOrigins: ['https://tools.example.com', 'http://localhost:8081'],
    connections: { max: 100, maxPerAddress: 10, keepAliveSeconds: 620 },
    rateLimits: { perKey: 600, perAddress: 1200 },
    acceptPartialPut: true,
    importPrivateSources: true,
    newProjects: 'read-only',
    mail: { smtpUrl: 'smtps://burgee:secret@mail.example.com', from: 'Burgee <burgee@example.com>' },
    backups: { folder: '/backup', at: 3.5 * 60 * 60 * 1000, keep: 7 },
    auditDays: 400,
    trafficDays: 90,
    requestDays: 7,
    metrics: { host: '10.0.0.11', port: 9464 },
    tracing: {
      endpoint: 'https://collector.example.com',
      headers: { authorization: 'Bearer abc=', 'x-tenant': 'flags=1' },
      serviceName: 'flags',
      share: 0.25,
    },
  });
});

test('metrics are for this machine alone unless METRICS_HOST says otherwise, and every request is traced', () => {
  assert.deepEqual(readConfig({ METRICS_PORT: '0' }).metrics, { host: '127.0.0.1', port: 0 });
  assert.deepEqual(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }).tracing, {
    endpoint: 'http://127.0.0.1:4318',
    headers: {},
    serviceName: 'burgee',
    share: 1,
  });
});

for (const [given, expected] of [
  ['https://flags.example.com/', 'https://flags.example.com'],
  ['https://flags.example.com//', 'https://flags.example.com'],
  ['http://localhost:8080', 'http://localhost:8080'],
]) {
  test(`PUBLIC_URL ${given} is used as ${expected}`, () => {
    assert.equal(readConfig({ PUBLIC_URL: given }).publicUrl, expected);
  });
}

const notAPort = (value: string) => `PORT must be a number from 0 to 65535, not ${value}`;
const notAUrl = (value: string) => `PUBLIC_URL must be a URL such as https://flags.example.com, not ${value}`;
const notADatabase =
  'DATABASE_URL must name a file, for example file:./data/burgee.db, or a PostgreSQL database, for example postgres://user:password@host/burgee';
const notOrigins = (value: string) =>
  `CORS_ORIGINS must be * or list origins such as https://tools.example.com,http://localhost:8081, not ${value}`;
const notProxies = (value: string) =>
  `TRUST_PROXY must list addresses or networks of proxies, for example 127.0.0.1,10.0.0.0/8, not ${value}`;
const notAPool = (value: string) => `DATABASE_POOL must be a number of connections from 1 to 999, not ${value}`;
const notARate = (name: string, value: string) =>
  `${name} must be a number of requests a minute from 1 to 1000000, not ${value}`;
const notAKey = 'BURGEE_ADMIN_API_KEY must be 16 characters or more of ASCII, without spaces';
const notAnEndpoint =
  'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://127.0.0.1:4318; put credentials into OTEL_EXPORTER_OTLP_HEADERS';
// Nor is the value of a header.
const notHeaders = 'OTEL_EXPORTER_OTLP_HEADERS must be a list such as authorization=Bearer%20abc,x-tenant=flags';
const notAShare = (value: string) => `OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not ${value}`;
const complaints: [name: string, value: string, sentence: string][] = [
  ['HOST', 'my host', 'HOST must be a host name or an address'],
  ['PORT', 'http', notAPort('http')],
  ['PORT', '-1', notAPort('-1')],
  ['PORT', '65536', notAPort('65536')],
  ['PORT', '80.5', notAPort('80.5')],
  ['PORT', ' 80', notAPort(' 80')],
  ['DATABASE_URL', './data/burgee.db', notADatabase],
  ['DATABASE_URL', 'file:', notADatabase],
  ['DATABASE_URL', 'mysql://localhost/burgee', notADatabase],
  ['DATABASE_URL', 'postgres://', notADatabase],
  ['DATABASE_POOL', '0', notAPool('0')],
  ['DATABASE_POOL', 'many', notAPool('many')],
  ['DATABASE_POOL', '1000', notAPool('1000')],
  ['CORS_ORIGINS', 'tools.example.com', notOrigins('tools.example.com')],
  ['CORS_ORIGINS', 'https://tools.example.com/', notOrigins('https://tools.example.com/')],
  ['CORS_ORIGINS', 'https://a.example, https://b.example', notOrigins('https://a.example, https://b.example')],
  ['CORS_ORIGINS', 'https://a.example,*', notOrigins('https://a.example,*')],
  ['TRUST_PROXY', '10.0.0', notProxies('10.0.0')],
  ['TRUST_PROXY', '127.1', notProxies('127.1')],
  ['TRUST_PROXY', '1.2.3.4.5', notProxies('1.2.3.4.5')],
  ['TRUST_PROXY', '10.0.0.0/33', notProxies('10.0.0.0/33')],
  ['TRUST_PROXY', '0.0.0.0/0', notProxies('0.0.0.0/0')],
  ['TRUST_PROXY', '10.0.0.0/', notProxies('10.0.0.0/')],
  ['TRUST_PROXY', 'fd00::/129', notProxies('fd00::/129')],
  ['TRUST_PROXY', 'fe80::1%eth0', notProxies('fe80::1%eth0')],
  ['TRUST_PROXY', '127.0.0.1,', notProxies('127.0.0.1,')],
  ['TRUST_PROXY', '127.0.0.1, 10.0.0.1', notProxies('127.0.0.1, 10.0.0.1')],
  ['TRUST_PROXY', 'proxy', notProxies('proxy')],
  ['MAX_CONNECTIONS', '0', 'MAX_CONNECTIONS must be a number of connections from 1 to 100000, not 0'],
  ['MAX_CONNECTIONS', '100001', 'MAX_CONNECTIONS must be a number of connections from 1 to 100000, not 100001'],
  ['KEEP_ALIVE_SECONDS', '1m', 'KEEP_ALIVE_SECONDS must be a number of seconds from 1 to 3600, not 1m'],
  ['RATE_LIMIT_PER_KEY', '0', notARate('RATE_LIMIT_PER_KEY', '0')],
  ['RATE_LIMIT_PER_ADDRESS', '-5', notARate('RATE_LIMIT_PER_ADDRESS', '-5')],
  ['ACCEPT_PARTIAL_PUT', 'yes', 'ACCEPT_PARTIAL_PUT must be true or false, not yes'],
  ['NEW_PROJECTS', 'closed', 'NEW_PROJECTS must be one of open, read-only, private, not closed'],
  ['PUBLIC_URL', 'flags.example.com', notAUrl('flags.example.com')],
  ['PUBLIC_URL', 'ftp://flags.example.com', notAUrl('ftp://flags.example.com')],
  ['PUBLIC_URL', 'https://flags.example.com/?a=b', notAUrl('https://flags.example.com/?a=b')],
  ['PUBLIC_URL', 'https://flags.example.com/#a', notAUrl('https://flags.example.com/#a')],
  [
    'PUBLIC_URL',
    'https://flags.example.com/burgee',
    'PUBLIC_URL must not have a path, as https://flags.example.com/burgee has: Burgee works only at the root of a host',
  ],
  ['METRICS_PORT', '8080', 'METRICS_PORT must not be 8080, where the server itself listens (PORT)'],
  // The value of a key is never repeated: complaints end up in logs.
  ['BURGEE_ADMIN_API_KEY', 'fifteen-letters', notAKey],
  ['BURGEE_ADMIN_API_KEY', 'sixteen letters!', notAKey],
  ['BURGEE_ADMIN_API_KEY', 'schlüssel-schlüssel', notAKey],
  ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not loud'],
  ['LOG_LEVEL', 'INFO', 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not INFO'],
  ['METRICS_PORT', 'http', `METRICS_${notAPort('http')}`],
  ['METRICS_HOST', '127.0.0.1', 'METRICS_PORT is needed with METRICS_HOST'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', '127.0.0.1:4318', notAnEndpoint],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://burgee:secret@collector.example.com', notAnEndpoint],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'no spaces in names=1', notHeaders],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=%', notHeaders],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=a%0Ab', notHeaders],
  ['OTEL_TRACES_SAMPLER_ARG', '2', notAShare('2')],
  ['OTEL_TRACES_SAMPLER_ARG', 'half', notAShare('half')],
];
for (const [name, value, sentence] of complaints) {
  test(`${name}=${value} is refused with a sentence`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error) => {
        assert.ok(error instanceof OperatorError);
        assert.equal(error.message, sentence);
        return true;
      },
    );
  });
}

test('metrics may have the port of the server on another address of the machine', () => {
  const both = (variables: Record<string, string>) => () =>
    readConfig({ PORT: '8222', METRICS_PORT: '8222', ...variables });
  assert.doesNotThrow(both({ HOST: '127.0.0.1', METRICS_HOST: '127.0.0.2' }));
  assert.doesNotThrow(both({ PORT: '0', METRICS_PORT: '0' }));
  const message = 'METRICS_PORT must not be 8222, where the server itself listens (PORT)';
  assert.throws(both({ HOST: '0.0.0.0', METRICS_HOST: '127.0.0.2' }), { message });
  assert.throws(both({ HOST: '127.0.0.1', METRICS_HOST: '::' }), { message });
});

test('a folder is all that nightly backups need, and times without one are refused', () => {
  const twoAtNight = 2 * 60 * 60 * 1000;
  assert.deepEqual(readConfig({ BACKUP_FOLDER: './b' }).backups, { folder: './b', at: twoAtNight, keep: 14 });
  for (const variables of [{ BACKUP_AT: '03:30' }, { BACKUP_KEEP: '7' }]) {
    assert.throws(() => readConfig(variables), {
      message: 'BACKUP_FOLDER is needed with BACKUP_AT and BACKUP_KEEP: the folder that backups go to',
    });
  }
});

for (const [name, value, sentence] of [
  ['BACKUP_AT', '24:00', 'BACKUP_AT must be a time of the day in UTC such as 02:30, not 24:00'],
  ['BACKUP_AT', '2:30', 'BACKUP_AT must be a time of the day in UTC such as 02:30, not 2:30'],
  ['AUDIT_DAYS', '0', 'AUDIT_DAYS must be a number of days from 1 to 36500, not 0'],
  ['BACKUP_KEEP', '0', 'BACKUP_KEEP must be a number of backups from 1 to 9999, not 0'],
] as const) {
  test(`${name}=${value} is refused with a sentence`, () => {
    assert.throws(() => readConfig({ BACKUP_FOLDER: './b', [name]: value }), { message: sentence });
  });
}

test('all complaints come at once, one a line', () => {
  const wrong = {
    LOG_LEVEL: 'loud',
    BURGEE_ADMIN_API_KEY: 'short',
    PUBLIC_URL: 'here',
    DATABASE_URL: 'there',
    PORT: 'http',
    HOST: 'my host',
  };
  assert.throws(() => readConfig(wrong), {
    message: [
      'HOST must be a host name or an address',
      notAPort('http'),
      notADatabase,
      notAUrl('here'),
      notAKey,
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not loud',
    ].join('\n'),
  });
});

test('variables of others are left alone', () => {
  assert.deepEqual(readConfig({ PATH: '/usr/bin', NODE_ENV: 'production', port: '1' }), defaults);
});

test('a first key that looks like one of ours but was not copied whole is refused', () => {
  assert.throws(() => readConfig({ BURGEE_ADMIN_API_KEY: 'burgee_a_my-own-secret-key' }), /checksum is wrong/);
});

test('no example hands in a first key that everybody can read', () => {
  const examples = new URL('../examples/', import.meta.url);
  const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /env\.example$/.test(file),
  );
  assert.equal(files.length, 3);
  for (const file of files) {
    const { BURGEE_ADMIN_API_KEY: key } = parseEnv(readFileSync(new URL(file, examples), 'utf8'));
    assert.equal(key, '', file);
  }
});
