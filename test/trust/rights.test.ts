/** Nobody does in a project what its lists do not give them, at any endpoint. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { permissions } from '#domain/access.ts';
import { startApi } from '../support/app.ts';
import { chanceOf } from '../support/chance.ts';
import { onPostgres, temporaryFolder } from '../support/databases.ts';
import { noticesWritten } from '../support/isolation-copies.ts';
import { rightsWorld, runRights } from '../support/rights-matrix.ts';
import { ofLists } from '../support/rights-sources.ts';
import { isLong, report, sized } from '../support/trust.ts';
import { rightsOfPermissions } from '../support/written-access.ts';

const api = await startApi();
const world = await rightsWorld(api);

test('every endpoint in a project answers everybody as the lists say, and refused requests change nothing', async () => {
  const { cases, failures } = await runRights(api, world);
  report(`rights: ${cases} cases, ${world.principals.length} principals`);
  assert.deepEqual(failures.slice(0, 10), []);
});

test('the right that each permission takes is written down', () => {
  const written = rightsOfPermissions.trim().split('\n');
  assert.deepEqual(
    written.map((line) => line.split(' ')[0]),
    [...permissions],
  );
});

const once = { skip: onPostgres ? 'the rules are the same on both databases, and copies of a file are quick' : false };

test('each rule about lists stands in the sources once, so that it can be taken out', once, () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  for (const { file, from } of ofLists) {
    assert.equal(readFileSync(root + file, 'utf8').split(from).length, 2, `${file}: ${from}`);
  }
});

test('each rule about lists is noticed when it is gone', once, async () => {
  const seed = Date.now() % 1_000_000;
  const chance = chanceOf(seed);
  const rest = [...ofLists];
  const count = Math.min(sized({ short: 2, long: rest.length }), rest.length);
  const chosen = Array.from({ length: count }, () => rest.splice(chance.integer(0, rest.length - 1), 1)).flat();
  const original = { file: api.database.databaseUrl.slice('file:'.length), folder: temporaryFolder(), world };
  // The first test has sent everything to an unmodified server; this is about copies of its database.
  const nothing = { file: 'src/app.ts', from: '', to: '', at: isLong ? 'all' : 'flags' };
  assert.equal(await noticesWritten(original, nothing), false);
  const survivors: typeof chosen = [];
  for (const mutation of chosen) if (!(await noticesWritten(original, mutation))) survivors.push(mutation);
  report(`rights: ${count} mutations of the rules about lists, ${survivors.length} not noticed (seed ${seed})`);
  assert.deepEqual(survivors, []);
});
