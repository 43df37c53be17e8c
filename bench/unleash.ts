/**
 * The peer: the newest Unleash from npm, in a folder of its own outside our dependencies, over a PostgreSQL of its own.
 * It gets as many flags in as many environments as Burgee, written into its tables: by its API it would take hours.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command } from '../test/support/databases.ts';
import { freePort } from '../test/support/free-port.ts';
import type { PostgresServer } from '../test/support/postgres-server.ts';
import { flagName, wordInNames } from './catalogue.ts';
import type { Asked } from './load.ts';
import { type Server, startServer } from './servers.ts';

const folder = fileURLToPath(new URL('./.unleash', import.meta.url));
const installed = join(folder, 'node_modules/unleash-server');

/** Its version; undefined where it cannot be installed. What is there already is used as it is. */
export async function installUnleash(tell: (text: string) => void): Promise<string | undefined> {
  if (!existsSync(installed)) {
    tell('Installing unleash-server into bench/.unleash, once: 200 MB');
    mkdirSync(folder, { recursive: true });
    const npm = spawn(
      'npm',
      ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', 'unleash-server@latest'],
      { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const isDone = await once(npm, 'exit').then(
      ([code]) => code === 0,
      () => false,
    );
    if (!isDone) return undefined;
  }
  return (JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string }).version;
}

const token = '*:*.a-token-for-measurements-only';
const environment = 'development';
const tokenOfSdks = `default:${environment}.a-token-for-measurements-only`;

/** As its SDKs ask it. */
export const asSdk = (server: Server): Server => ({ ...server, headers: { authorization: tokenOfSdks } });

/** Resolves when it is ready, with this many flags in three environments. */
export async function startUnleash(postgres: PostgresServer, flags: number): Promise<Server> {
  const database = `unleash_${flags}`;
  await command(postgres.url('postgres'), `create database ${database}`);
  const first = await startOver(postgres, database);
  await first.stop();
  for (const statement of fill(flags)) await command(postgres.url(database), statement);
  return startOver(postgres, database);
}

async function startOver(postgres: PostgresServer, database: string): Promise<Server> {
  const port = await freePort();
  // Its limits for requests and flags would be measured else.
  const withoutEnd = '100000000';
  return startServer({
    port,
    path: '/health',
    headers: { authorization: token },
    start: {
      args: [join(installed, 'dist/server.js')],
      place: 'serving',
      env: {
        DATABASE_HOST: '127.0.0.1',
        DATABASE_PORT: String(postgres.port),
        DATABASE_USERNAME: 'burgee',
        DATABASE_PASSWORD: 'none',
        DATABASE_NAME: database,
        DATABASE_SSL: 'false',
        HTTP_HOST: '127.0.0.1',
        HTTP_PORT: String(port),
        CHECK_VERSION: 'false',
        SEND_TELEMETRY: 'false',
        NODE_ENV: 'production',
        NODE_NO_WARNINGS: '1',
        TZ: 'UTC',
        UNLEASH_SECRET: 'a-secret-for-measurements-only',
        LOG_LEVEL: 'warn',
        INIT_ADMIN_API_TOKENS: token,
        INIT_BACKEND_API_TOKENS: tokenOfSdks,
        TOKEN_AUTHENTICATION_RATE_LIMIT_PER_MINUTE: withoutEnd,
        SDK_API_RATE_LIMIT_PER_MINUTE: withoutEnd,
        SEARCH_FEATURES_RATE_LIMIT_PER_MINUTE: withoutEnd,
        UNLEASH_FEATURE_FLAGS_LIMIT: withoutEnd,
      },
    },
  });
}

/** Two environments are there already. */
const fill = (flags: number): string[] => [
  `insert into environments (name, sort_order, type) values ('staging', 4, 'test')`,
  `insert into project_environments (project_id, environment_name) values ('default', 'staging')`,
  `insert into features (name, description, type, project, created_by_user_id, created_at)
   select ${nameOf('i')}, 'Made to be measured', 'release', 'default', 1, now() - make_interval(secs => ${flags} - i)
     from generate_series(0, ${flags - 1}) as i`,
  `insert into tags (type, value) values ('simple', 'payments')`,
  `insert into feature_tag (feature_name, tag_type, tag_value)
   select ${nameOf('i')}, 'simple', 'payments' from generate_series(0, ${flags - 1}, 2) as i`,
  `insert into feature_environments (environment, feature_name, enabled)
   select e.name, f.name, true from features f, environments e`,
  `insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, parameters, constraints)
   select f.name || '-' || e.name, f.name, 'default', e.name, 'flexibleRollout',
          jsonb_build_object('groupId', f.name, 'rollout', '20', 'stickiness', 'default'),
          '[{"contextName": "plan", "operator": "IN", "values": ["team", "enterprise"]},
            {"contextName": "userId", "operator": "IN", "values": ["customer-0", "customer-1", "customer-2", "customer-3",
             "customer-4", "customer-5", "customer-6", "customer-7", "customer-8", "customer-9"]}]'::jsonb
     from features f, environments e`,
  'analyze',
];

/** The SQL of `flagName`. */
const nameOf = (number: string): string =>
  `case when ${number} % 2 = 0 then 'checkout' else 'flag' end || '-' || lpad(${number}::text, 6, '0')`;

const features = '/api/admin/projects/default/features';

/** The nearest to what Burgee is asked. */
export const unleashRequests = {
  definitions: (flags: number): Asked[] =>
    upTo(flags).map((flag) => ({ method: 'GET', path: `${features}/${flagName(flag)}/environments/${environment}` })),
  flags: (flags: number): Asked[] =>
    upTo(flags).map((flag) => ({ method: 'GET', path: `${features}/${flagName(flag)}` })),
  users: [{ method: 'GET', path: '/api/admin/user-admin/1' }] as Asked[],
  page: [{ method: 'GET', path: '/api/admin/search/features?project=IS%3Adefault&limit=50&offset=0' }] as Asked[],
  /** Fifty flags have this in their names, where there are a hundred or more. */
  poll: [{ method: 'GET', path: `/api/client/features?namePrefix=${wordInNames}-0000` }] as Asked[],
  create: [{ method: 'POST', path: features, body: { name: 'made-{n}', type: 'release' } }] as Asked[],
  changes: (clients: number): Asked[] =>
    upTo(clients).map((flag) => ({
      method: 'PUT',
      path: `${features}/${flagName(flag)}/environments/${environment}/strategies/${flagName(flag)}-${environment}`,
      body: {
        name: 'flexibleRollout',
        title: 'as of {n}',
        parameters: { groupId: flagName(flag), rollout: '20', stickiness: 'default' },
        constraints: [{ contextName: 'plan', operator: 'IN', values: ['team', 'enterprise'] }],
      },
    })),
} as const;

const upTo = (count: number): number[] => Array.from({ length: Math.min(count, 1_000) }, (_, number) => number);
