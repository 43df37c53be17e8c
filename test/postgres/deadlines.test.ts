/** How long a request waits for PostgreSQL, and what it waits for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { command, onlyPostgres } from '../support/databases.ts';
import { anInstallation } from '../support/process.ts';

const as = 'a-key-for-the-tests-of-deadlines';
const flags = '/splits/ws/Default/trafficTypes/user';

test(
  'a request that waits for a connection and then for a lock is answered within ten seconds',
  onlyPostgres,
  async () => {
    const burgee = anInstallation();
    const node = await burgee.start({ DATABASE_POOL: '1', BURGEE_ADMIN_API_KEY: as });
    const unlock = await burgee.lock();
    const first = node.call('POST', flags, { as, body: { name: 'first' } });
    await pause(1_000);
    const begun = performance.now();
    const second = await node.call('POST', flags, { as, body: { name: 'second' } });
    const seconds = (performance.now() - begun) / 1000;
    await unlock();
    assert.equal((await first).status, 503);
    assert.ok(seconds < 10, `answered ${second.status} after ${seconds.toFixed(1)} s`);
  },
);

test('a statement that was prepared before a column changed its type works again', onlyPostgres, async () => {
  const burgee = anInstallation();
  const node = await burgee.start({ DATABASE_POOL: '1', BURGEE_ADMIN_API_KEY: as });
  const list = () => node.call('GET', '/splits/ws/Default', { as });
  assert.equal((await list()).status, 200);
  await command(
    await burgee.databaseUrl(),
    'alter table flags alter column description type varchar(9000) collate "C"',
  );
  assert.equal((await list()).status, 200);
});
