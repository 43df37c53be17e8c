import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { test } from 'node:test';
import { onPostgres } from '../support/databases.ts';
import { anInstallation, type Finished, type Installation, type Server } from '../support/process.ts';

const key = 'a-key-for-the-tests-of-stopping';

async function aServer(): Promise<{ burgee: Installation; server: Server }> {
  const burgee = anInstallation();
  return { burgee, server: await burgee.start({ BURGEE_ADMIN_API_KEY: key }) };
}

/** Returns the name if the server acknowledged the flag; a connection that was cut acknowledged nothing. */
async function create(server: Server, name: string): Promise<string | undefined> {
  const created = server.call('POST', '/splits/ws/Default/trafficTypes/user', { as: key, body: { name } });
  return created.then(
    ({ status }) => (status === 200 ? name : undefined),
    () => undefined,
  );
}

const acknowledgedOf = async (creates: readonly Promise<string | undefined>[]) =>
  (await Promise.all(creates)).filter((name) => name !== undefined);

async function timed(end: Promise<Finished>): Promise<Finished & { milliseconds: number }> {
  const begun = performance.now();
  return { ...(await end), milliseconds: performance.now() - begun };
}

const namesOf = async (burgee: Installation, query: string) =>
  (await burgee.rows<{ name: string }>(query)).map((row) => row.name);

/** A flag and its audit entry are there together or not at all. Returns the names of the flags. */
async function storedFlags(burgee: Installation): Promise<string[]> {
  const flags = await namesOf(burgee, 'select name from flags order by name');
  const entries = "select object_name as name from changes where action = 'flag.created' order by object_name";
  assert.deepEqual(await namesOf(burgee, entries), flags);
  if (onPostgres) return flags;
  assert.deepEqual(await burgee.rows('pragma integrity_check'), [{ integrity_check: 'ok' }]);
  assert.deepEqual(await burgee.rows('pragma foreign_key_check'), []);
  return flags;
}

for (const moment of ['at once', 'after the first answer']) {
  test(`a signal ${moment} during writes: all that was acknowledged is kept, with its audit entry`, async () => {
    const { burgee, server } = await aServer();
    const creates = Array.from({ length: 50 }, (_, index) => create(server, `flag-${index}`));
    if (moment === 'after the first answer') await Promise.race(creates);
    const { code, stderr, milliseconds } = await timed(server.end('SIGTERM'));
    assert.deepEqual([code, stderr], [0, '']);
    assert.ok(milliseconds < 10_000, `took ${milliseconds} ms`);
    const acknowledged = await acknowledgedOf(creates);
    // An orderly stop answers every request in progress, so nothing is stored that no client knows of.
    assert.deepEqual(await storedFlags(burgee), acknowledged.sort());
    if (moment === 'after the first answer') assert.ok(acknowledged.length > 0);
  });
}

test('a request under way when the signal comes is answered, and then the process ends without delay', async () => {
  const { burgee, server } = await aServer();
  const unlock = await burgee.lock();
  const creating = create(server, 'under-way');
  // Asked later and answered: so what was asked before has arrived, and waits for the lock.
  await (await fetch(`${server.url}/health`)).text();
  const ended = server.end('SIGTERM');
  await server.says(/"msg":"stopping"/);
  await unlock();
  assert.equal(await creating, 'under-way');
  const { code, milliseconds } = await timed(ended);
  assert.equal(code, 0);
  assert.deepEqual(await storedFlags(burgee), ['under-way']);
  // Its connection is kept alive by the client, but nothing is under way on it any more.
  assert.ok(milliseconds < 5_000, `took ${milliseconds} ms`);
});

/** Sends requests on one connection until it is stopped; returns what went wrong, if anything did. */
async function askUntilToldToLeave(server: Server): Promise<string | undefined> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (;;) {
      const [reply] = await once(get(`${server.url}/health`, { agent }), 'response');
      await once(reply.resume(), 'end');
      if (reply.headers.connection === 'close') return undefined;
    }
  } catch (error) {
    return (error as Error).message;
  } finally {
    agent.destroy();
  }
}

test('clients that ask without a pause are told to leave, and none of them is cut off', async () => {
  const { server } = await aServer();
  const asking = Array.from({ length: 16 }, () => askUntilToldToLeave(server));
  await (await fetch(`${server.url}/health`)).text();
  const { code } = await server.end('SIGTERM');
  assert.equal(code, 0);
  assert.deepEqual(
    await Promise.all(asking),
    Array.from({ length: 16 }, () => undefined),
  );
});

test('neither an idle keep-alive connection nor a second signal changes the stop', async () => {
  const { server } = await aServer();
  const agent = new Agent({ keepAlive: true });
  const [reply] = await once(get(`${server.url}/health`, { agent }), 'response');
  await once(reply.resume(), 'end');
  const [{ code, milliseconds }] = await Promise.all([timed(server.end('SIGTERM')), server.end('SIGTERM')]);
  agent.destroy();
  assert.equal(code, 0);
  // Connections that are in use get eight seconds; this one is not.
  assert.ok(milliseconds < 5_000, `took ${milliseconds} ms`);
});

test('a process that is killed during writes has lost nothing that it acknowledged', async () => {
  const { burgee, server } = await aServer();
  const acknowledged: string[] = [];
  let die: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => {
    die = resolve;
  });
  const writer = async (word: string) => {
    for (let index = 0; ; index += 1) {
      const name = await create(server, `${word}-${index}`);
      if (name === undefined) return;
      acknowledged.push(name);
      if (acknowledged.length === 100) die();
    }
  };
  const writers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map(writer);
  await enough;
  const { code } = await server.end('SIGKILL');
  await Promise.all(writers);
  assert.equal(code, null);
  const restarted = await burgee.start();
  const stored = new Set(await storedFlags(burgee));
  assert.deepEqual(
    acknowledged.filter((name) => !stored.has(name)),
    [],
  );
  const { body } = await restarted.call('GET', '/splits/ws/Default', { as: key });
  assert.equal(body.totalCount, stored.size);
  assert.equal(await create(restarted, 'after-the-restart'), 'after-the-restart');
});
