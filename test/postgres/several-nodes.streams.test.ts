/** Streams of two nodes over one database: what is changed on either reaches those of both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../support/app.ts';
import { aDefinedFlag, aProject, aSegment, type ProjectFixture } from '../support/build.ts';
import { type Client, startTwoNodes } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { aPollingSdk } from '../support/sdk.ts';
import { anSdk, connected, openStream, streamWith, tokenFor } from '../support/streams.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const nodes = await startTwoNodes(anInstallation());
const [one, other] = nodes;

const flipTo = (treatment: string) => [{ op: 'replace', path: '/defaultRule', value: [{ treatment, size: 100 }] }];
const numberOf = ({ headers }: Answer) => Number(/^"(\d+)-/.exec(String(headers.etag))?.[1]);

async function aKey({ id, staging }: ProjectFixture, apiKeyType = 'server_side') {
  const body = { name: 'application', apiKeyType, workspace: { id }, environments: [{ id: staging.id }] };
  const answer = await one.post('/apiKeys', body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as { id: string; key: string };
}

async function known(client: Client, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  await until('the node knows the key', async () => (await fetch(`${client.node.url}/api/auth`, { headers })).ok);
}

async function aWorld() {
  const project = await aProject(one);
  const { flag, path } = await aDefinedFlag(one, project);
  const key = await aKey(project);
  for (const node of nodes) await known(node, key.key);
  return { project, flag, path, key };
}

test('an SDK on one node has what is changed on the other', async () => {
  const { project, flag, path, key } = await aWorld();
  const { name } = await aSegment(one, project, [project.staging]);
  const sdk = await anSdk(other.node.url, key.key);
  await one.patch(path, flipTo('on'));
  await sdk.gets('on', flag.name);
  await one.ask('PUT', `${path}/kill`);
  await sdk.gets('off', flag.name);
  await one.patch(path, [{ op: 'add', path: '/treatments/0/segments', value: [name] }]);
  await one.ask('PUT', `${path}/restore`);
  await one.ask('PUT', `/segments/${project.staging.id}/${name}/uploadKeys`, { body: { keys: ['ana'] } });
  await sdk.gets('on', flag.name, 'ana');
});

test('a token of one node opens a stream on the other; a key revoked on one loses its streams on both', async () => {
  const { key } = await aWorld();
  const token = await tokenFor(one.node.url, key.key);
  const streams = await Promise.all(nodes.map(({ node }) => streamWith(node.url, token)));
  assert.equal((await one.delete(`/apiKeys/${key.id}`)).status, 200);
  await Promise.all(streams.map(({ ended }) => ended));
  for (const { node } of nodes) {
    await until(
      'the token is refused',
      async () => (await fetch(`${node.url}/sse?accessToken=${token}`)).status === 401,
    );
  }
});

test('a stream of a node that was never asked for the environment gets its changes', async () => {
  const project = await aProject(one);
  const { path } = await aDefinedFlag(one, project);
  const token = await tokenFor(one.node.url, (await aKey(project)).key);
  await until('the other node knows the key', async () => {
    const reply = await fetch(`${other.node.url}/sse?accessToken=${token}`, { method: 'HEAD' });
    return reply.status === 200;
  });
  const stream = await streamWith(other.node.url, token);
  const number = numberOf(await one.patch(path, flipTo('on')));
  await until('the change', () => stream.messages().some(({ changeNumber }) => changeNumber === number));
});

test('no node announces a number before it can be read there', async () => {
  const { project, path, key } = await aWorld();
  const paths = [
    path,
    ...(await Promise.all([1, 2, 3].map(() => aDefinedFlag(one, project)))).map((made) => made.path),
  ];
  const pollOf = async ({ node }: Client) => {
    const headers = { authorization: `Bearer ${key.key}` };
    const reply = await fetch(`${node.url}/api/splitChanges?s=1.3&since=-1&rbSince=-1`, { headers });
    return ((await reply.json()) as { ff: { t: number } }).ff.t;
  };
  const late: unknown[] = [];
  let last = Number.POSITIVE_INFINITY;
  const watch = async (client: Client) => {
    const stream = await openStream(client.node.url, key.key);
    let said = 0;
    const newest = () => Math.max(0, ...stream.messages().map(({ changeNumber }) => Number(changeNumber)));
    while (said < last) {
      await until('a message', () => newest() > said || said >= last);
      said = newest();
      const found = await pollOf(client);
      if (found < said) late.push({ said, found });
    }
    const numbers = stream.messages().map(({ changeNumber }) => Number(changeNumber));
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
    return numbers.length;
  };
  const watching = nodes.map(watch);
  const numbers = await Promise.all(
    nodes.flatMap((client) =>
      paths.map(async (each) => {
        let number = 0;
        for (const to of ['on', 'off', 'on', 'off', 'on']) {
          number = Math.max(number, numberOf(await client.patch(each, flipTo(to))));
        }
        return number;
      }),
    ),
  );
  last = Math.max(...numbers);
  for (const told of await Promise.all(watching)) assert.ok(told > 3);
  assert.deepEqual(late, []);
});

test('official SDKs report to both nodes, and every evaluation is counted once', async () => {
  const { flag, path, key } = await aWorld();
  const [keys, times] = [50, 3];
  for (const [at, { node }] of nodes.entries()) {
    const sdk = await aPollingSdk(node.url, key.key, { impressionsMode: 'DEBUG' });
    for (let turn = 0; turn < keys * times; turn += 1) sdk.client.getTreatment(`${at}-${turn % keys}`, flag.name);
    await sdk.stop();
  }
  const countedBy = async ({ get }: Client) => (await get(`${path}/traffic`)).body.evaluations;
  for (const node of nodes) await until('both nodes count', async () => (await countedBy(node)) >= 2 * keys * times);
  assert.deepEqual(await Promise.all(nodes.map(countedBy)), [2 * keys * times, 2 * keys * times]);
});

test('an SDK whose node is replaced by another connects again and is right', async () => {
  const { flag, path, key } = await aWorld();
  const proxy = await startProxy(other.node.url);
  const sdk = await anSdk(new URL(proxy.url).origin, key.key);
  proxy.pointTo(Number(new URL(one.node.url).port));
  assert.equal((await other.node.end('SIGTERM')).code, 0);
  assert.equal((await one.patch(path, flipTo('on'))).status, 200);
  await sdk.says(connected, 2);
  await sdk.gets('on', flag.name);
  assert.equal((await one.patch(path, flipTo('off'))).status, 200);
  await sdk.gets('off', flag.name);
});
