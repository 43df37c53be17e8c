/**
 * Nothing else runs during a statement on SQLite. So a statement in a transaction may read neither all of a table that
 * grows nor all of a project: it finds its rows by what it names. `lists.test.ts` asks more of lists.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import sql, { raw } from 'sql-template-tag';
import { contract } from '#contract/all.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { dayMs } from '#domain/durations.ts';
import { startAuditRetention } from '#jobs/audit-retention.ts';
import { oldCounts, startCleanup } from '#jobs/cleanup.ts';
import { studyDefinitions } from '#jobs/definition-facts.ts';
import { doWithoutMailServer } from '#jobs/mail.ts';
import { remindOwners } from '#jobs/reminders.ts';
import { startTraffic } from '#jobs/traffic.ts';
import { mailWatchers } from '#jobs/watches.ts';
import { startApi } from '../support/app.ts';
import { aProject } from '../support/build.ts';
import { type Build, requestOf, requestsTo } from '../support/requests.ts';
import { statementsOf, transactionStatementsOf } from '../support/statements.ts';

/** Few values, or one for all rows of a project: an index finds too much by these alone. */
const broad: readonly string[] = [
  ...['project_id', 'environment_id', 'traffic_type_id', 'rollout_status_id', 'group_id'],
  ...['status', 'state', 'kind', 'type', 'object_type', 'object_kind', 'from_kind', 'operation', 'grantee_type'],
];

/** There are few of these, or few in a project, however large the account is. */
const small: readonly string[] = [
  ...['account', 'imports', 'environments', 'traffic_types', 'rollout_statuses', 'attributes', 'code_reports'],
  'cleanup_policies',
  ...['project_editors', 'project_viewers', 'environment_grants'],
];

interface Permitted {
  readonly statement: RegExp;
  readonly because: string;
}

const permittedInTransactions: readonly Permitted[] = [
  { statement: /count\(\*\) as total from flags where rollout_status_id = \?$/, because: 'the index alone, 10 ms' },
  { statement: /count\(\*\) as total from api_keys where api_keys\.project_id = \?$/, because: 'the index alone' },
  { statement: /from api_key_environments where environment_id = \?\)/, because: 'the keys of one environment' },
  { statement: /where c\.state in \('SCHEDULED', 'SCHEDULE_REQUESTED'\)/, because: 'what is scheduled in one project' },
  { statement: /^update outbox set announced_at = \? where announced_at is null/, because: 'new mails' },
];

const permittedOutside: readonly Permitted[] = [
  { statement: /as "waitingSince" from outbox$/, because: 'mails that wait' },
  { statement: / limit \?\) changes\b/, because: 'at most as many entries as the limit says' },
];

const api = await startApi();
const log = pino({ level: 'silent' });

/** One request to each endpoint, then the jobs, long after. */
async function doEverything(): Promise<void> {
  const project = await aProject(api);
  const place = { ...project, environment: project.staging };
  const requests = requestsTo(api);
  const all: Record<string, Record<string, Build>> = requests;
  for (const [part, endpoints] of Object.entries<Record<string, Endpoint>>(contract)) {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const target = (await all[part]?.[name]?.(place)) ?? assert.fail(name);
      const { path, text } = requestOf(endpoint, place, target);
      await api.call(endpoint.method, path, text === undefined ? {} : { text });
    }
  }
  const { id } = await requests.changesets.requestChangeset(place);
  const approvals = { op: 'replace', path: '/changePermissions', value: { areApprovalsRequired: true } };
  await api.patch(`/environments/ws/${project.id}/${project.staging.id}`, [approvals]);
  assert.equal((await api.post(`/changesets/${id}/request`)).body.status, 'REQUESTED');
  api.clock.now = Date.now() + 400 * dayMs;
  const { store } = api;
  await studyDefinitions(store);
  await startTraffic({ store, log, traffic: api.delivery.traffic }).stop();
  for await (const _ of oldCounts(store, 1));
  await startCleanup({ store, log, trafficDays: 1 }).stop();
  await startAuditRetention({ store, log, days: 1 }).stop();
  await remindOwners(store);
  await mailWatchers(store);
  await doWithoutMailServer(store, log, 'http://localhost');
}

/** As long as it can be: with few values, SQLite may choose another way. */
const lengthened = (statement: string) =>
  statement
    .replaceAll(/\bin \(\?(?:,\?)*\)/g, `in (${Array(50).fill('?').join()})`)
    .replaceAll(/\bvalues (\([?,]+\))(?:,\([?,]+\))*/g, (_, row) => `values ${Array(50).fill(row).join()}`);

const tables = (await api.store.all<{ name: string }>(sql`select name from sqlite_schema where type = 'table'`)).map(
  ({ name }) => name,
);

/** A step of a plan that reads rows: `SEARCH c USING INDEX changesets_state (project_id=? AND state=?)`. */
interface Step {
  readonly isScan: boolean;
  readonly hasIndex: boolean;
  /** The columns that have one value. */
  readonly named: readonly string[];
}

/** Those that read tables which grow. */
async function stepsOf(statement: string): Promise<Step[]> {
  const plan = await api.store.all<{ detail: string }>(raw(`explain query plan ${lengthened(statement)}`));
  return plan.flatMap(({ detail }): Step[] => {
    const [, way, name, index, terms = ''] = /^(SCAN|SEARCH) (\w+)(.* INDEX \w+)?(?: \((.*)\))?/.exec(detail) ?? [];
    // What the statement found itself is no table. Neither is one that it does not mention: of rows that refer to a
    // deleted one, none are left, or they go with it.
    const isMentioned = (table: string) =>
      new RegExp(` ${table === name ? table : `${table} ${name}`}\\b`).test(statement);
    const table = name === undefined ? undefined : tables.find(isMentioned);
    if (table === undefined || small.includes(table)) return [];
    const named = [...terms.matchAll(/(\S+)=\?/g)].map(([, column = '']) => column);
    return [{ isScan: way === 'SCAN', hasIndex: index !== undefined, named }];
  });
}

async function requireNone(
  statements: readonly string[],
  permitted: readonly Permitted[],
  isTooBroad: (step: Step, statement: string) => boolean,
): Promise<void> {
  const complaints: string[] = [];
  for (const asked of statements) {
    const statement = ` ${asked.replaceAll(/\s+/g, ' ').trim()}`;
    if ((await stepsOf(statement)).some((step) => isTooBroad(step, statement))) complaints.push(statement.trim());
  }
  const isKnown = (complaint: string) => permitted.some(({ statement }) => statement.test(complaint));
  const isMet = ({ statement }: Permitted) => complaints.some((complaint) => statement.test(complaint));
  assert.deepEqual(
    complaints.filter((complaint) => !isKnown(complaint)),
    [],
  );
  assert.deepEqual(
    permitted.filter((one) => !isMet(one)),
    [],
  );
}

let read: readonly string[] = [];
const written = await transactionStatementsOf(api.store, async () => {
  read = await statementsOf(api.store, doEverything);
});

test('every statement in a transaction finds its rows by what it names', () =>
  requireNone(written, permittedInTransactions, ({ isScan, named }, statement) => {
    const hasLimit = / limit (?:\?|\d+)/.test(statement);
    return named.every((column) => broad.includes(column)) && (isScan || !hasLimit);
  }));

test('every other statement finds its rows by an index', () =>
  requireNone([...new Set(read)], permittedOutside, ({ isScan, hasIndex }) => isScan && !hasIndex));
