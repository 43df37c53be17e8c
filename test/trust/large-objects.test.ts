/** A server with a small heap survives whatever is large, and other requests do not wait for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefix } from '#contract/parts.ts';
import { aDefinition } from '../support/build.ts';
import { onPostgres } from '../support/databases.ts';
import { adminKey } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { inspect, inspectable } from '../support/process-inspector.ts';
import { type Talk, talkTo } from '../support/raw-sockets.ts';
import { residentBytes } from '../support/server-weight.ts';
import { report } from '../support/trust.ts';
import { until } from '../support/until.ts';

const burgee = anInstallation();
const server = await burgee.start({
  BURGEE_ADMIN_API_KEY: adminKey,
  NODE_OPTIONS: `${inspectable.NODE_OPTIONS} --max-old-space-size=256`,
});
const inspector = await inspect(server);

async function ask(method: string, path: string, body?: unknown) {
  const answer = await server.call(method, path, { as: adminKey, body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

test('clients that ask for large pages and do not read them take a bounded amount of memory', async () => {
  const { id } = await ask('POST', '/workspaces', { name: 'heavy' });
  await ask('POST', `/environments/ws/${id}`, { name: 'one' });
  const keys = Array.from({ length: 100_000 }, (_, index) => `k${index}`);
  const definition = aDefinition({ treatments: [{ name: 'on', keys }, { name: 'off' }] });
  for (let index = 0; index < 20; index += 1) {
    await ask('POST', `/splits/ws/${id}/trafficTypes/user`, { name: `heavy-${index}` });
    await ask('POST', `/splits/ws/${id}/heavy-${index}/environments/one`, definition);
  }
  const path = `${prefix}/splits/ws/${id}/environments/one?limit=50`;
  const before = await inspector.memory();
  const talks = await Promise.all(
    Array.from({ length: 120 }, async () => {
      const talk = await talkTo(server.url);
      talk.socket.write(`GET ${path} HTTP/1.1\r\nHost: flags.test\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`);
      talk.socket.on('data', () => talk.said().startsWith('HTTP/1.1 200 OK') && talk.socket.pause());
      return talk;
    }),
  );
  const isRefused = (talk: Talk) => talk.said().includes('503 Service Unavailable');
  // 16 are sent and 32 wait.
  await until('the others are refused', () => talks.filter(isRefused).length >= 120 - 48, { timeoutMs: 60_000 });
  assert.match(talks.find(isRefused)?.said() ?? '', /x-burgee-problem: too_many_large_responses\r\n/i);
  assert.match(talks.find(isRefused)?.said() ?? '', /retry-after: 2\r\n/i);
  const now = await inspector.memory();
  const grown = (now.heap + now.buffers - before.heap - before.buffers) / 1e6;
  report(
    `120 clients that do not read pages of 18 MB: ${grown.toFixed(0)} MB in use, ${(residentBytes(server) / 1e6).toFixed(0)} MB resident`,
  );
  assert.ok(grown < 180, `${grown} MB`);
  assert.equal((await ask('GET', '/workspaces')).totalCount, 2);

  for (const { socket } of talks) socket.destroy();
  await until('there is room again', async () => {
    const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${adminKey}` } });
    if (answer.status === 200) assert.equal(((await answer.json()) as { objects: unknown[] }).objects.length, 20);
    else await answer.body?.cancel();
    return answer.status === 200;
  });
});

const maxTurnMs = 25;

test(`deleting a project with 34,000 keys holds the event loop for ${maxTurnMs} ms at most`, async () => {
  const { id } = await ask('POST', '/workspaces', { name: 'full' });
  const { body: trafficTypes } = await server.call('GET', `/trafficTypes/ws/${id}`, { as: adminKey });
  for (const trafficType of trafficTypes) await ask('DELETE', `/trafficTypes/${trafficType.id}`);
  const numbers = onPostgres
    ? 'select n from generate_series(1, 34000) as n'
    : 'select n from (with recursive c(n) as (select 1 union all select n + 1 from c where n < 34000) select n from c)';
  await burgee.rows(`
    insert into api_keys (id, name, type, roles, hash, last_four, project_id, created_by_type, created_by_id, created_at)
    select 'many-' || n, 'many', 'admin', '["API_ALL_GRANTED"]', 'hash of ' || n, 'abcd', '${id}', 'operator', 'test', n
      from (${numbers}) as numbers`);
  await inspector.longestTurn();
  await ask('DELETE', `/workspaces/${id}`);
  const turn = await inspector.asThere(await inspector.longestTurn(), maxTurnMs);
  report(`deleting a project with 34,000 keys: the longest turn took ${turn.toFixed(0)} ms`);
  assert.ok(turn <= maxTurnMs, `${turn} ms`);
  const [left] = await burgee.rows<{ total: number }>(
    `select count(*) as total from api_keys where project_id = '${id}'`,
  );
  assert.equal(Number(left?.total), 0);
});
