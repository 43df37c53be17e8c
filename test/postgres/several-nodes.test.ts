/** What holds on one node holds on all: two processes over one database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, uniqueName } from '../support/build.ts';
import { type Client, startTwoNodes } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';

const burgee = anInstallation();
const nodes = await startTwoNodes(burgee);
const [one, other] = nodes;

const times = <Result>(count: number, make: (index: number) => Result): Result[] =>
  Array.from({ length: count }, (_, index) => make(index));
/** The number of the change in a response. */
const numberOf = ({ headers }: Answer) => Number(/^"(\d+)-/.exec(String(headers.etag))?.[1]);

test('concurrent patches on one definition through two nodes lose nothing, and follow each other without a gap', async () => {
  const { flag, path } = await aDefinedFlag(one, await aProject(one));
  const numbers = new Map<string, number>();
  const patchTenTimes = async (client: Client) => {
    for (const key of times(10, () => uniqueName('key'))) {
      const answer = await client.patch(path, [{ op: 'add', path: '/treatments/0/keys/-', value: key }]);
      assert.equal(answer.status, 200, answer.text);
      numbers.set(key, numberOf(answer));
    }
  };
  await Promise.all(nodes.flatMap((client) => times(8, () => patchTenTimes(client))));
  assert.equal(numbers.size, 160);

  // Each was put behind those that were there: this is the order of the commits.
  const keys: string[] = (await one.get(path)).body.treatments[0].keys;
  assert.deepEqual((await other.get(path)).body.treatments[0].keys, keys);
  assert.deepEqual(
    keys,
    [...numbers].sort(([, a], [, b]) => a - b).map(([key]) => key),
  );
  assert.equal(new Set(numbers.values()).size, 160);

  const { body } = await other.get(`/auditLogs?objectType=definition&objectId=${flag.id}&limit=200`);
  const changes: { before?: object; after: { lastUpdateTime: number } }[] = body.data;
  assert.equal(changes.length, 161);
  changes.sort((a, b) => a.after.lastUpdateTime - b.after.lastUpdateTime);
  for (const [index, { before }] of changes.entries()) assert.deepEqual(before, changes[index - 1]?.after);
});

test('a name exists once across nodes: one node creates it, and all others find it taken', async () => {
  const project = await aProject(one);
  for (let round = 0; round < 5; round += 1) {
    const [name, flag] = [uniqueName('raced'), await aFlag(one, project)];
    const creations: [path: string, body: unknown][] = [
      [`/splits/ws/${project.id}/trafficTypes/user`, { name }],
      [`/splits/ws/${project.id}/${flag.name}/environments/staging`, aDefinition()],
      [`/environments/ws/${project.id}`, { name }],
      [`/trafficTypes/ws/${project.id}`, { name }],
      ['/groups', { name }],
      ['/workspaces', { name }],
      ['/users', { email: `${name}@example.com` }],
    ];
    for (const [path, body] of creations) {
      const answers = await Promise.all(nodes.flatMap((client) => times(4, () => client.post(path, body))));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)], path);
    }
  }
});

test('a change acknowledged by one node is visible on every other at once', async () => {
  const project = await aProject(one);
  const { path } = await aDefinedFlag(one, project);
  for (let round = 0; round < 50; round += 1) {
    const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
    const written = await writer.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: round }]);
    const read = await reader.get(path);
    assert.deepEqual([read.text, read.headers.etag], [written.text, written.headers.etag]);
    const { name } = await aFlag(writer, project);
    assert.equal((await reader.get(`/splits/ws/${project.id}/${name}`)).status, 200);
  }
});

test('each node tells how many groups there are at once, while both make and delete some', async () => {
  const totalOf = async (client: Client) => (await client.get('/groups?limit=1')).body.totalCount as number;
  const before = await totalOf(one);
  const makeAndDelete = async (client: Client) => {
    for (let round = 0; round < 5; round += 1) {
      const [kept, gone] = [uniqueName('kept'), uniqueName('gone')];
      assert.equal((await client.post('/groups', { name: kept })).status, 200);
      const { body } = await client.post('/groups', { name: gone });
      await Promise.all(nodes.map(totalOf));
      assert.equal((await client.delete(`/groups/${body.id}`)).status, 200);
    }
  };
  await Promise.all(nodes.flatMap((client) => times(4, () => makeAndDelete(client))));
  assert.deepEqual(await Promise.all(nodes.map(totalOf)), [before + 40, before + 40]);
  for (const [writer, reader] of [nodes, nodes.toReversed()] as [Client, Client][]) {
    const total = await totalOf(reader);
    const { body } = await writer.post('/groups', { name: uniqueName('group') });
    const last = (await reader.get(`/groups?offset=${total}`)).body;
    assert.deepEqual([last.objects, last.totalCount], [[body], total + 1]);
  }
});
