/** Mutation tests of the isolation matrix: each access rule is removed once, and a case must fail. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startApi } from '../support/app.ts';
import { chanceOf } from '../support/chance.ts';
import { onPostgres, temporaryFolder } from '../support/databases.ts';
import { failsOn, notices, noticesWritten, type Original } from '../support/isolation-copies.ts';
import { ofEndpoints, ofRoles } from '../support/isolation-mutations.ts';
import { ofSources } from '../support/isolation-sources.ts';
import { isolationWorld } from '../support/isolation-world.ts';
import { report, sized } from '../support/trust.ts';

const once = {
  skip: onPostgres ? 'the rules are the same on both databases, and a SQLite file is quick to copy' : false,
};
const seed = Date.now() % 1_000_000;
const chance = chanceOf(seed);

/** A random sample in the short form, all in the long one. */
const chosen = <Mutation>(all: readonly Mutation[], short: number): Mutation[] => {
  const rest = [...all];
  const count = Math.min(sized({ short, long: rest.length }), rest.length);
  return Array.from({ length: count }, () => rest.splice(chance.integer(0, rest.length - 1), 1)).flat();
};

async function originalWorld(): Promise<Original> {
  const api = await startApi();
  const world = await isolationWorld(api);
  return { file: api.database.databaseUrl.slice('file:'.length), folder: temporaryFolder(), world };
}
const original = onPostgres ? undefined : await originalWorld();

async function survivorsOf<Mutation>(
  what: string,
  mutations: readonly Mutation[],
  isNoticed: (mutation: Mutation, original: Original) => Promise<boolean>,
): Promise<Mutation[]> {
  const survivors: Mutation[] = [];
  for (const mutation of mutations) {
    if (original && !(await isNoticed(mutation, original))) survivors.push(mutation);
  }
  report(`isolation: ${mutations.length} mutations of ${what}, ${survivors.length} not noticed (seed ${seed})`);
  return survivors;
}

test('an unmodified server passes on a copy, so failures are due to the mutation', once, async () => {
  assert.ok(original);
  const { file, world } = original;
  assert.equal(await failsOn(file, world, { at: 'flags.getFlag' }), false);
  const nothing = { file: 'src/app.ts', from: '', to: '', at: 'users.listUsers' };
  assert.equal(await noticesWritten(original, nothing), false);
});

test('each declaration of an endpoint is noticed when it is removed', once, async () => {
  const survivors = await survivorsOf('endpoints', chosen(ofEndpoints, 8), (one, from) => notices(from, one));
  assert.deepEqual(
    survivors.map(({ name }) => name),
    [],
  );
});

test('each permission of each role is noticed when it is removed or added', once, async () => {
  const survivors = await survivorsOf('roles', chosen(ofRoles, 8), (one, from) => notices(from, one));
  assert.deepEqual(
    survivors.map(({ name }) => name),
    [],
  );
});

test('each rule occurs exactly once in the sources, so that it can be removed', once, () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  for (const { file, from } of ofSources) {
    assert.equal(readFileSync(root + file, 'utf8').split(from).length, 2, `${file}: ${from}`);
  }
});

test('each rule in the sources is noticed when it is removed', once, async () => {
  const survivors = await survivorsOf('rules', chosen(ofSources, 2), (one, from) => noticesWritten(from, one));
  assert.deepEqual(survivors, []);
});
