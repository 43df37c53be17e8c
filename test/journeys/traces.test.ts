import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, test } from 'node:test';
import { prefix } from '#contract/parts.ts';
import { aDefinedFlag, aProject, uniqueName } from '../support/build.ts';
import { onlySqlite, onPostgres } from '../support/databases.ts';
import { scrape } from '../support/metrics.ts';
import { adminKey, startNode } from '../support/nodes.ts';
import { type ReceivedSpan, type Receiver, startReceiver } from '../support/otlp-receiver.ts';
import { anInstallation, sideBySide } from '../support/process.ts';
import { until } from '../support/until.ts';

const server = 2;
const client = 3;
const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = '00f067aa0ba902b7';

const variablesFor = ({ endpoint }: Receiver): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  METRICS_PORT: '0',
});

/** Sends the header, and returns the transaction id. */
async function askWith(url: string, traceparent: string, path = '/workspaces'): Promise<string> {
  const headers = { authorization: `Bearer ${adminKey}`, traceparent };
  const reply = await fetch(url + prefix + path, { headers });
  await reply.text();
  return reply.headers.get('x-transaction-id') ?? '';
}

/** The span of the request with this transaction id, once it has arrived. */
async function spanOf({ spans }: Receiver, transactionId: unknown): Promise<ReceivedSpan> {
  const find = () => spans.find(({ attributes }) => attributes['burgee.transaction_id'] === transactionId);
  await until(`the span of ${transactionId} has arrived`, () => find() !== undefined);
  return find() ?? assert.fail();
}

const childrenOf = ({ spans }: Receiver, { spanId }: ReceivedSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === spanId);

describe('traces', sideBySide, () => {
  test('a change is a span with its route, status and transaction id, and its transaction lies within', async () => {
    const receiver = await startReceiver();
    const burgee = await startNode(anInstallation(), variablesFor(receiver));
    const project = await aProject(burgee);
    const { path } = await aDefinedFlag(burgee, project);
    // This commit empties the caches.
    await burgee.post('/groups', { name: uniqueName('group') });
    const answer = await burgee.patch(path, [{ op: 'replace', path: '/defaultTreatment', value: 'on' }]);
    assert.equal(answer.status, 200);

    const span = await spanOf(receiver, answer.headers['x-transaction-id']);
    const route = `${prefix}/splits/ws/:project/:flag/environments/:environment`;
    assert.equal(span.name, `PATCH ${route}`);
    assert.equal(span.kind, server);
    assert.equal(span.parentSpanId, undefined);
    assert.equal(span.isFailed, false);
    assert.deepEqual(
      { ...span.attributes, 'burgee.transaction_id': '' },
      {
        'http.request.method': 'PATCH',
        'http.route': route,
        'http.response.status_code': '200',
        'burgee.transaction_id': '',
      },
    );
    const children = childrenOf(receiver, span);
    const transactions = children.filter(({ name }) => name === 'database transaction');
    const reads = children.filter(({ name }) => name === 'database read');
    assert.equal(transactions.length, 1);
    assert.ok(reads.length > 0, 'the key was looked up');
    for (const child of children) {
      assert.equal(child.kind, client);
      assert.equal(child.traceId, span.traceId);
      assert.ok(child.startedAt >= span.startedAt && child.endedAt <= span.endedAt && child.startedAt <= child.endedAt);
      assert.equal(child.attributes['db.system.name'], onPostgres ? 'postgresql' : 'sqlite');
    }
    assert.ok(reads.every(({ attributes }) => /^\s*select /.test(attributes['db.query.text'] ?? '')));
    assert.deepEqual(receiver.resources[0]?.['service.name'], 'burgee');
    const now = BigInt(Date.now()) * 1_000_000n;
    assert.ok(now - span.endedAt < 300_000_000_000n && now > span.startedAt);
  });

  test('the transaction lies within its request also when the body comes later than the head', async () => {
    const receiver = await startReceiver();
    const { node, get } = await startNode(anInstallation(), variablesFor(receiver));
    const first = await spanOf(receiver, (await get('/workspaces')).headers['x-transaction-id']);
    const transactionsOf = (span: ReceivedSpan) =>
      childrenOf(receiver, span).filter(({ name }) => name === 'database transaction').length;
    await until('the first use of the key is noted, in a transaction', () => transactionsOf(first) === 1);
    const headers = { authorization: `Bearer ${adminKey}`, expect: '100-continue', 'content-length': '15' };
    const asked = request(`${node.url}${prefix}/workspaces`, { method: 'POST', headers });
    asked.flushHeaders();
    await once(asked, 'continue');
    asked.end('{"name":"late"}');
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    assert.equal(answer.resume().statusCode, 200);
    assert.equal(transactionsOf(await spanOf(receiver, answer.headers['x-transaction-id'])), 1);
  });
});

// About requests and their delivery, whatever the database.
describe('traces', { ...sideBySide, ...onlySqlite }, () => {
  test('a caller’s trace continues: traceparent gives the trace, its span, and whether it is sampled', async () => {
    const receiver = await startReceiver();
    const { node } = await startNode(anInstallation(), variablesFor(receiver));
    await askWith(node.url, `00-${callersTrace}-${callersSpan}-00`);
    for (const nonsense of [`00-${callersTrace}-0000000000000000-01`, `ff-${callersTrace}-${callersSpan}-01`, 'x']) {
      const span = await spanOf(receiver, await askWith(node.url, nonsense));
      assert.notEqual(span.traceId, callersTrace);
      assert.equal(span.parentSpanId, undefined);
    }
    const span = await spanOf(receiver, await askWith(node.url, `00-${callersTrace}-${callersSpan}-01`));
    assert.equal(span.traceId, callersTrace);
    assert.equal(span.parentSpanId, callersSpan);
    const ofTheCaller = receiver.spans.filter(({ traceId, kind }) => traceId === callersTrace && kind === server);
    assert.equal(ofTheCaller.length, 1, 'the request that the caller does not trace has no span');
  });

  test('a refusal names its problem and is no fault; neither keys nor paths are in any span', async () => {
    const receiver = await startReceiver();
    const burgee = await startNode(anInstallation(), variablesFor(receiver));
    const answer = await burgee.post('/workspaces', { name: '' });
    assert.equal(answer.status, 400);
    const taken = await burgee
      .post('/workspaces', { name: 'twice' })
      .then(() => burgee.post('/workspaces', { name: 'twice' }));
    assert.equal(taken.status, 409);
    const unknown = await burgee.get('/somewhere-else');
    assert.equal((await spanOf(receiver, unknown.headers['x-transaction-id'])).attributes['http.route'], undefined);
    const span = await spanOf(receiver, answer.headers['x-transaction-id']);
    assert.equal(span.attributes['burgee.problem'], 'request_invalid');
    await spanOf(receiver, taken.headers['x-transaction-id']);
    assert.deepEqual(
      receiver.spans.filter(({ isFailed }) => isFailed),
      [],
    );
    assert.ok(!JSON.stringify(receiver.spans.map(({ name, attributes }) => [name, attributes])).includes(adminKey));
  });

  test('an answer that was kept is a span like any other', async () => {
    const receiver = await startReceiver();
    const { node, get } = await startNode(anInstallation(), { ...variablesFor(receiver), LOG_LEVEL: 'debug' });
    await get('/workspaces');
    const traceparent = `00-${callersTrace}-${callersSpan}-01`;
    const ids = [await askWith(node.url, traceparent), await askWith(node.url, traceparent)];
    for (const id of ids) {
      const span = await spanOf(receiver, id);
      assert.equal(span.name, `GET ${prefix}/workspaces`);
      assert.equal(span.parentSpanId, callersSpan);
      assert.equal(span.attributes['http.response.status_code'], '200');
      await node.says(new RegExp(`(?=.*"transactionId":"${id}").*"traceId":"${callersTrace}"`));
    }
  });

  test('a share of the requests is traced, with the headers and the name that are configured', async () => {
    const receiver = await startReceiver();
    const { node, get } = await startNode(anInstallation(), {
      ...variablesFor(receiver),
      OTEL_TRACES_SAMPLER_ARG: '0',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-tenant=flags',
      OTEL_SERVICE_NAME: 'flags-of-the-shop',
    });
    for (const _ of Array.from({ length: 20 })) await get('/workspaces');
    await spanOf(receiver, await askWith(node.url, `00-${callersTrace}-${callersSpan}-01`));
    assert.ok(receiver.spans.every(({ traceId }) => traceId === callersTrace));
    assert.equal(receiver.headers[0]?.authorization, 'Bearer abc');
    assert.equal(receiver.headers[0]?.['x-tenant'], 'flags');
    assert.equal(receiver.resources[0]?.['service.name'], 'flags-of-the-shop');
  });

  test('a receiver that is away, or silent, slows nobody and fills nothing; when it is back it gets the newest', async () => {
    const receiver = await startReceiver();
    const { node, get } = await startNode(anInstallation(), variablesFor(receiver));
    receiver.manner = 'refuses';
    await get('/workspaces');
    await until('it was refused', () => receiver.deliveries > 0);
    receiver.manner = 'silent';
    const spansFor = async (outcome: string) =>
      (await scrape(node)).value('burgee_trace_spans_total', { outcome }) ?? Number.NaN;
    const started = performance.now();
    let asked = 0;
    while ((await spansFor('dropped')) < 1_000) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => get('/workspaces')));
      assert.ok(answers.every(({ status }) => status === 200));
      asked += answers.length;
    }
    const eachMs = (performance.now() - started) / asked;
    assert.ok(eachMs < 200, `nobody waits the five seconds of a delivery: ${eachMs} ms`);
    assert.equal(await spansFor('sent'), 0);
    receiver.manner = 'answers';
    const answer = await get('/workspaces');
    await spanOf(receiver, answer.headers['x-transaction-id']);
    await node.says(/traces are delivered again/);
    assert.ok(receiver.spans.length <= 2_048 + 512, `${receiver.spans.length}`);
    assert.equal([...node.stdout().matchAll(/traces cannot be delivered/g)].length, 1, 'said once');
  });

  test('pending spans are exported on shutdown', async () => {
    const receiver = await startReceiver();
    const { node, get } = await startNode(anInstallation(), variablesFor(receiver));
    const answer = await get('/workspaces');
    assert.equal((await node.end('SIGTERM')).code, 0);
    await spanOf(receiver, answer.headers['x-transaction-id']);
  });
});
