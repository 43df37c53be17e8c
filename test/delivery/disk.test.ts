/** The copy on the local disk follows what is saved, however fast that changes. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { readDisk, startDisk } from '#delivery/disk.ts';
import type { State } from '#delivery/snapshot.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'burgee-disk-'));
after(() => rmSync(folder, { recursive: true }));
const secrets = { accountId: 'account', key: new Uint8Array(32) };

/** An environment without flags, and with large segments that have no keys. */
const aState = (id: string, changeNumber: number, segments: readonly string[] = []): State => ({
  content: {
    environment: { id, name: id, projectId: 'project', createdAt: 0, changeNumber },
    flags: new Map(),
    ruleBased: new Map(),
    active: new Map(),
    inactive: new Map(),
  },
  keys: new Map(segments.map((name) => [name, { kind: 'large', name, number: 1, hashes: new Float64Array() }])),
});

const aKey = (id: number) =>
  ({ id: String(id), hash: 'hash', type: 'server_side', lastFour: '1234', environmentId: 'one' }) as const;

test('the last of many changes is on the disk soon, without another one after it', async () => {
  const file = join(folder, 'copy.db');
  const disk = startDisk({ file, secrets, log: pino({ level: 'silent' }), delayMs: 1 });
  after(() => disk.stop());
  let number = 0;
  for (let burst = 0; burst < 10; burst += 1) {
    const end = performance.now() + 30;
    while (performance.now() < end) {
      number += 1;
      disk.saveKeys([aKey(number)]);
      for (const id of ['one', 'other']) disk.save(id, aState(id, number));
      await nextTurn();
    }
    const written = () => {
      const copy = readDisk(file);
      const numbers = [...(copy?.environments.values() ?? [])].map(({ content }) => content.environment.changeNumber);
      return [...numbers, Number(copy?.keys[0]?.id)];
    };
    await until(`change ${number} is written`, () => written().join() === [number, number, number].join(), {
      timeoutMs: 5_000,
    });
  }
  assert.ok(number > 20);
});

test('the first save of an environment by a new process replaces everything that an earlier one saved', async () => {
  const file = join(folder, 'restarted.db');
  const log = pino({ level: 'silent' });
  const first = startDisk({ file, secrets, log });
  first.save('one', aState('one', 1, ['gone', 'stays']));
  first.save('other', aState('other', 1, ['stays']));
  await first.stop();
  const second = startDisk({ file, secrets, log });
  second.save('one', aState('one', 2, ['stays']));
  await second.stop();
  const saved = [...(readDisk(file)?.environments ?? [])].map(([id, { keys }]) => [id, [...keys.keys()]]);
  assert.deepEqual(saved, [
    ['one', ['stays']],
    ['other', ['stays']],
  ]);
});
