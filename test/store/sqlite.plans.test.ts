/**
 * Nothing else runs during a statement on SQLite. So a statement in a transaction may read neither all of a table that
 * grows nor all of a project: it finds its rows by what it names. `lists.test.ts` has the statements of lists.
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
import { transactionStatementsOf } from '../support/statements.ts';

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

const permitted: readonly { readonly statement: RegExp; readonly because: string }[] = [
  { statement: /count\(\*\) as total from flags where rollout_status_id = \?$/, because: 'the index alone, 10 ms' },
  { statement: /count\(\*\) as total from api_keys where api_keys\.project_id = \?$/, because: 'the index alone' },
  { statement: /select user_id from memberships where group_id = \?$/, because: 'the people of one group' },
  { statement: /from api_key_environments where environment_id = \?\)/, because: 'the keys of one environment' },
  { statement: /where c\.state in \('SCHEDULED', 'SCHEDULE_REQUESTED'\)/, because: 'what is scheduled in one project' },
  { statement: /^update outbox set announced_at = \? where announced_at is null/, because: 'new mails' },
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

/** A step of a plan that reads rows: `SEARCH u USING INDEX users_status (status=?)`. */
const stepPattern = /^(SCAN|SEARCH) (\w+)(?:.* \((.*)\))?/;

function isTooBroad(step: string, statement: string, tables: readonly string[]): boolean {
  const [, way, name, terms = ''] = stepPattern.exec(step) ?? [];
  if (name === undefined) return false;
  // What the statement found itself is no table. Neither is one that it does not mention: of rows that refer to a
  // deleted one, none are left, or they go with it.
  const table = tables.find((one) => new RegExp(name === one ? ` ${one}\\b` : ` ${one} ${name}\\b`).test(statement));
  if (table === undefined || small.includes(table)) return false;
  const named = [...terms.matchAll(/(\S+)=\?/g)].map(([, column = '']) => column);
  if (named.some((column) => !broad.includes(column))) return false;
  const hasLimit = / limit (?:\?|\d+)/.test(statement);
  return way === 'SCAN' || !hasLimit;
}

test('every statement in a transaction finds its rows by what it names', async () => {
  const rows = await api.store.all<{ name: string }>(sql`select name from sqlite_schema where type = 'table'`);
  const tables = rows.map(({ name }) => name);
  const complaints: string[] = [];
  const met = new Set<RegExp>();
  for (const asked of await transactionStatementsOf(api.store, doEverything)) {
    const statement = ` ${asked.replaceAll(/\s+/g, ' ').trim()}`;
    const plan = await api.store.all<{ detail: string }>(raw(`explain query plan ${lengthened(statement)}`));
    const steps = plan.map(({ detail }) => detail).filter((step) => isTooBroad(step, statement, tables));
    if (steps.length === 0) continue;
    const known = permitted.find((one) => one.statement.test(statement.trim()));
    if (known) met.add(known.statement);
    else complaints.push(`${steps.join('; ')} in${statement}`);
  }
  assert.deepEqual(complaints, []);
  assert.deepEqual(
    permitted.filter((one) => !met.has(one.statement)),
    [],
  );
});
