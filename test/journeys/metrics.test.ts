import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { prefix } from '#contract/parts.ts';
import { aDefinedFlag, aProject } from '../support/build.ts';
import { onlyPostgres } from '../support/databases.ts';
import { metricsUrl, type Scrape, scrape } from '../support/metrics.ts';
import { adminKey, startNode } from '../support/nodes.ts';
import { anInstallation, sideBySide } from '../support/process.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const measured = { METRICS_PORT: '0' };
const definitionRoute = `${prefix}/splits/ws/:project/:flag/environments/:environment`;

/** The buckets only grow, and the last has them all. */
function requireHistogram(figures: Scrape, name: string): void {
  const series = new Map<string, number[]>();
  for (const { labels, value } of figures.samples(`${name}_bucket`)) {
    const { le: _, ...rest } = labels;
    const key = JSON.stringify(rest);
    series.set(key, [...(series.get(key) ?? []), value]);
  }
  assert.ok(series.size > 0, name);
  for (const [key, values] of series) {
    assert.deepEqual(
      values,
      values.toSorted((one, other) => one - other),
    );
    assert.equal(values.at(-1), figures.value(`${name}_count`, JSON.parse(key)));
    assert.ok((figures.value(`${name}_sum`, JSON.parse(key)) ?? -1) >= 0);
  }
}

describe('metrics', sideBySide, () => {
  test('requests are counted by their route, never by their path, with status and time', async () => {
    const client = await startNode(anInstallation(), measured);
    const project = await aProject(client);
    const paths = await Promise.all([1, 2, 3].map(async () => (await aDefinedFlag(client, project)).path));
    // The second response may come from the cache.
    for (const path of [...paths, ...paths]) await client.get(path);
    await client.get(`/splits/ws/${project.id}/nobody/environments/${project.staging.id}`);
    await client.get('/nowhere');
    await client.ask('GET', '/workspaces', { as: 'not-a-key-of-this-server' });

    const figures = await scrape(client.node);
    const requests = (labels: Record<string, string>) => figures.value('burgee_http_requests_total', labels);
    assert.equal(requests({ method: 'GET', route: definitionRoute, status: '200' }), 6);
    assert.equal(requests({ method: 'POST', route: definitionRoute, status: '200' }), 3);
    assert.equal(requests({ method: 'GET', route: definitionRoute, status: '404' }), 1);
    assert.equal(requests({ method: 'GET', route: `${prefix}/workspaces`, status: '401' }), 1);
    assert.equal(requests({ method: 'GET', route: 'none', status: '404' }), 1);
    const count = { method: 'GET', route: definitionRoute };
    assert.equal(figures.value('burgee_http_request_duration_seconds_count', count), 7);
    requireHistogram(figures, 'burgee_http_request_duration_seconds');
    for (const { labels } of figures.samples('burgee_http_requests_total')) {
      assert.doesNotMatch(labels.route ?? '', new RegExp(project.id));
    }
  });

  test('reads and transactions of the database are timed; a scrape does not count itself', async () => {
    const client = await startNode(anInstallation(), measured);
    const counts = async (work: string) =>
      (await scrape(client.node)).value('burgee_database_duration_seconds_count', { work }) ?? Number.NaN;
    // What runs at a start may read, too; a scrape that counted itself would never find the same number twice.
    await until('two scrapes say the same', async () => {
      const before = await counts('read');
      return (await counts('read')) === before;
    });
    const [reads, writes] = [await counts('read'), await counts('write')];
    assert.equal((await client.post('/workspaces', { name: 'measured' })).status, 200);
    assert.ok((await counts('read')) > reads);
    assert.ok((await counts('write')) > writes);
    requireHistogram(await scrape(client.node), 'burgee_database_duration_seconds');
  });

  test('the metrics of the outbox, sessions and audit entries match the database', async () => {
    const burgee = anInstallation();
    const client = await startNode(burgee, measured);
    await client.post('/users', { email: 'ada@example.com' });
    await client.post('/users', { email: 'grace@example.com' });
    await burgee.rows("update outbox set given_up_at = created_at where payload like '%grace@%'");
    await burgee.rows("update outbox set created_at = created_at - 3600000 where payload like '%ada@%'");
    const [{ id }] = (await burgee.rows<{ id: string }>('select id from users')) as [{ id: string }];
    const session = (token: string, at: number) =>
      burgee.rows(`insert into sessions (id, user_id, token_hash, address, agent, created_at, last_seen_at)
                   values ('${token}', '${id}', '${token}', '', '', ${at}, ${at})`);
    await session('alive', Date.now());
    await session('over', 1);

    const figures = await scrape(client.node);
    assert.equal(figures.value('burgee_outbox_mails', { state: 'waiting' }), 1);
    assert.equal(figures.value('burgee_outbox_mails', { state: 'given_up' }), 1);
    const age = figures.value('burgee_outbox_oldest_seconds') ?? 0;
    assert.ok(age >= 3_600 && age < 3_900, `${age}`);
    assert.equal(figures.value('burgee_sessions'), 1);
    const [{ count }] = (await burgee.rows<{ count: unknown }>('select count(*) as count from changes')) as [
      { count: unknown },
    ];
    assert.equal(figures.value('burgee_audit_entries'), Number(count));
    assert.equal(figures.value('burgee_database_up'), 1);
  });

  test('a first nightly backup that fails leaves an age beyond every limit, so that the alert fires', async () => {
    const burgee = anInstallation();
    writeFileSync(join(burgee.folder, 'no-folder'), '');
    const { node } = await startNode(burgee, { ...measured, BACKUP_FOLDER: 'no-folder' });
    await node.says(/"msg":"the nightly backup failed/);
    assert.equal((await scrape(node)).value('burgee_backup_age_seconds'), Number.POSITIVE_INFINITY);
  });

  test('the age of the newest nightly backup is told, once there is one, also by a node that makes none', async () => {
    const burgee = anInstallation();
    const { node } = await startNode(burgee, measured);
    const age = async () => (await scrape(node)).value('burgee_backup_age_seconds');
    assert.equal(await age(), undefined);
    await burgee.rows(`update account set backup_made_for = ${Date.now() - 31 * 3_600_000}`);
    // What another process commits is visible once the server has flushed what it was writing.
    await until('the age is there', async () => (await age()) !== undefined);
    const seconds = (await age()) ?? 0;
    assert.ok(seconds >= 31 * 3_600 && seconds < 31 * 3_600 + 300, `${seconds}`);
  });

  test('the process tells what it uses, and when the event loop was held up', async () => {
    const { node } = await startNode(anInstallation(), measured);
    const later = (milliseconds: number) => {
      const from = performance.now();
      return until(`${milliseconds} ms are over`, () => performance.now() - from > milliseconds);
    };
    await scrape(node);
    // The monitor restarts with each scrape and measures from its second tick on.
    await later(200);
    node.pause();
    await later(300);
    node.goOn();
    const figures = await scrape(node);
    for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes', 'process_cpu_seconds_total']) {
      assert.ok((figures.value(name) ?? 0) > 0, name);
    }
    const [p50, p99, max] = ['p50', 'p99', 'max'].map((part) => figures.value(`nodejs_eventloop_lag_${part}_seconds`));
    assert.ok(p50 !== undefined && p99 !== undefined && max !== undefined && p50 <= p99 && p99 <= max);
    assert.ok(max > 0.2, `${max}`);
    const started = figures.value('process_start_time_seconds') ?? 0;
    assert.ok(Math.abs(started * 1_000 - Date.now()) < 300_000);
  });

  test('nothing is served without METRICS_PORT, and nothing at the port of the API', async () => {
    const { node, get } = await startNode(anInstallation());
    assert.doesNotMatch(node.stdout(), /metricsPort/);
    const reply = await fetch(`${node.url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } });
    assert.equal(reply.status, 404);
    assert.equal((await get('/workspaces')).status, 200);
  });

  test('the port has /metrics and nothing else', async () => {
    const { node } = await startNode(anInstallation(), measured);
    const url = await metricsUrl(node);
    assert.equal((await fetch(new URL('/internal/api/v2/workspaces', url))).status, 404);
    assert.equal((await fetch(url, { method: 'POST', body: 'x' })).status, 405);
    assert.equal((await fetch(`${url}?collect[]=all`)).status, 200);
  });

  test('a port for metrics that is in use is named, with what to do', async () => {
    const occupied = createServer().listen(0, '127.0.0.1');
    await once(occupied, 'listening');
    after(() => occupied.close());
    const { port } = occupied.address() as AddressInfo;
    const { code, stderr } = await anInstallation().run(['serve'], {
      METRICS_PORT: String(port),
      BURGEE_ADMIN_API_KEY: adminKey,
    });
    assert.equal(code, 1);
    assert.equal(stderr, `Port ${port} on 127.0.0.1 is in use; stop what listens there or set METRICS_PORT\n`);
  });

  test('a database that is down takes only its own figures along', onlyPostgres, async () => {
    const proxy = await startProxy(await anInstallation().databaseUrl());
    const client = await startNode(anInstallation({ databaseUrl: proxy.url }), measured);
    assert.equal((await scrape(client.node)).value('burgee_database_up'), 1);
    proxy.manner = 'swallows';
    await until('the database is seen to be away', async () => {
      const figures = await scrape(client.node);
      assert.ok((figures.value('process_resident_memory_bytes') ?? 0) > 0);
      return figures.value('burgee_database_up') === 0 && figures.value('burgee_sessions') === undefined;
    });
    proxy.manner = 'passes';
    await until('it is seen to be back', async () => (await scrape(client.node)).value('burgee_database_up') === 1);
  });
});
