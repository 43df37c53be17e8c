/** A change through one node is visible on the others, even if its notice was lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aDefinedFlag, aProject, type ProjectFixture } from '../support/build.ts';
import { type Client, startTwoNodes } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { until } from '../support/until.ts';

const burgee = anInstallation();
const [one, other] = await startTwoNodes(burgee);

/** Numbers are compared every second; the machine may be busy. */
const soonMs = 10_000;

let changes = 0;
/** Changes the definition and returns the number of the change. */
async function change(client: Client, path: string): Promise<number> {
  changes += 1;
  const { status, headers, text } = await client.patch(path, [
    { op: 'replace', path: '/trafficAllocation', value: changes % 100 },
  ]);
  assert.equal(status, 200, text);
  return Number(/^"(\d+)-/.exec(String(headers.etag))?.[1]);
}

/** The number up to which SDKs of the project's staging read changes from the node. */
async function readFrom({ node }: Client, { staging }: ProjectFixture): Promise<number> {
  // The key is shown only in the response that created the environment.
  const [token] = (staging as unknown as { apiTokens: { key: string }[] }).apiTokens;
  const headers = { authorization: `Bearer ${token?.key}` };
  const reply = await fetch(`${node.url}/api/splitChanges?s=1.3&since=-1`, { headers });
  return reply.status === 200 ? ((await reply.json()) as { ff: { t: number } }).ff.t : -1;
}

test('a change of a definition is read from another node soon', async () => {
  const project = await aProject(one);
  const { path } = await aDefinedFlag(one, project);
  for (let round = 0; round < 5; round += 1) {
    const number = await change(one, path);
    const begun = performance.now();
    await until('the change is there', async () => (await readFrom(other, project)) === number);
    assert.ok(performance.now() - begun < soonMs);
  }
});

test('a notice of a kind that this release does not know swallows no change of definitions', async () => {
  const project = await aProject(one);
  const { path } = await aDefinedFlag(one, project);
  const unknown = `segments:${project.staging.id}:${Number.MAX_SAFE_INTEGER}`;
  await burgee.rows(`select pg_notify('burgee', '${unknown}')`);
  const number = await change(one, path);
  await until('the change is there', async () => (await readFrom(other, project)) === number);
});

interface Listener {
  readonly pid: number;
}

const listeners = () =>
  burgee.rows<Listener>(
    "select pid from pg_stat_activity where datname = current_database() and query in ('listen burgee', 'select 1')",
  );

/** Makes a change while nobody listens; again if the listeners came back sooner. */
async function changeUnheard(path: string): Promise<number> {
  for (;;) {
    await until('both nodes listen', async () => (await listeners()).length === 2);
    for (const { pid } of await listeners()) await burgee.rows(`select pg_terminate_backend(${pid})`);
    const number = await change(one, path);
    if ((await listeners()).length === 0) return number;
  }
}

test('a change while the listening connection is away is read from the other node, too', async () => {
  const project = await aProject(one);
  const { path } = await aDefinedFlag(one, project);
  const number = await changeUnheard(path);
  const begun = performance.now();
  await until('the change is there', async () => (await readFrom(other, project)) === number);
  assert.ok(performance.now() - begun < soonMs);
});
