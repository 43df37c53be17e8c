import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { prefix } from '#contract/parts.ts';
import { startApi } from '../support/app.ts';
import { aFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();
await api.app.listen({ host: '127.0.0.1', port: 0 });
const { port } = api.app.server.address() as AddressInfo;
after(() => api.app.server.closeAllConnections());

/** Sends the head of a request, lets `meanwhile` happen once the server has it, then sends the body. */
async function slowly(method: string, path: string, key: string, body: unknown, meanwhile: () => Promise<unknown>) {
  const text = JSON.stringify(body);
  const headers = { authorization: `Bearer ${key}`, 'content-length': Buffer.byteLength(text), expect: '100-continue' };
  const asking = request({ host: '127.0.0.1', port, method, path: prefix + path, headers });
  asking.flushHeaders();
  await once(asking, 'continue');
  await meanwhile();
  asking.end(text);
  const [answer] = await once(asking, 'response');
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part);
  return { status: answer.statusCode as number, text: Buffer.concat(parts).toString() };
}

test('a key that is revoked while the body is on its way changes nothing', async () => {
  const key = await api.key({});
  const actions = await api.recorded(async () => {
    const answer = await slowly('POST', '/groups', key, { name: uniqueName('late') }, () =>
      api.delete(`/apiKeys/${key}`),
    );
    assert.equal(answer.status, 401);
    assert.match(answer.text, /Invalid Admin API Key/);
  });
  assert.deepEqual(actions, ['api_key.revoked']);
});

test('title and comment that are required meanwhile are asked for', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const path = `/splits/ws/${project.id}/${flag.name}`;
  const demand = () =>
    api.patch(`/workspaces/${project.id}`, [{ op: 'replace', path: '/requiresTitleAndComments', value: true }]);
  const patch = [{ op: 'replace', path: '/description', value: 'late' }];
  const actions = await api.recorded(async () => {
    assert.deepEqual(await slowly('PATCH', path, api.adminKey, patch, demand), { status: 400, text: '' });
  });
  assert.deepEqual(actions, ['workspace.patched']);
});
