import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { type DefinitionsChanged, watchDefinitions } from '#jobs/definition-changes.ts';
import { nextChangeNumber } from '#store/environments.ts';
import { openStore } from '#store/open.ts';
import type { Store } from '#store/sql.ts';
import { type Api, startApi } from '../support/app.ts';
import { aProject } from '../support/build.ts';
import { until } from '../support/nodes.ts';

const api = await startApi();
const log = pino({ level: 'silent' });
/** So long that only notices can be the reason. */
const never = 3_600_000;

/** Another process over the same database. */
async function anotherStore(): Promise<Store> {
  const store = await openStore(api.database);
  after(() => store.close());
  return store;
}

/** Watches through a store of its own; `told` grows. */
async function watching({ store, compareMs = never }: { store: Store; compareMs?: number }) {
  const told: DefinitionsChanged[] = [];
  const watch = await watchDefinitions({ store, log, compareMs }, (change) => told.push(change));
  after(() => watch.stop());
  const of = ({ id }: { id: string }) =>
    told.filter(({ environmentId }) => environmentId === id).map(({ changeNumber }) => changeNumber);
  return { watch, of };
}

type Environment = { readonly id: string; readonly name: string };

const change = async (store: Store, environment: Environment): Promise<number> =>
  (await store.write((tx) => nextChangeNumber(tx, environment))).changeNumber;

/** As somebody does who announces nothing, or whose notice got lost. */
const setNumber = (store: Store, { id }: Environment, number: number) =>
  store.write((tx) => tx.run(sql`update environments set change_number = ${number} where id = ${id}`));

const anEnvironment = async (from: Api): Promise<Environment> => (await aProject(from)).staging;

test('a change is told with its number, once, and only where it was', async () => {
  const [changed, quiet] = [await anEnvironment(api), await anEnvironment(api)];
  const { of } = await watching({ store: api.store });
  const number = await change(api.store, changed);
  await until('it is told', () => of(changed).length > 0);
  assert.deepEqual([of(changed), of(quiet)], [[number], []]);
});

test('what was there before the watch began is not told', async () => {
  const environment = await anEnvironment(api);
  await change(api.store, environment);
  const { of } = await watching({ store: api.store });
  const number = await change(api.store, environment);
  await until('the later one is told', () => of(environment).length > 0);
  assert.deepEqual(of(environment), [number]);
});

test('a change that is rolled back is never told', async () => {
  const environment = await anEnvironment(api);
  const { of } = await watching({ store: api.store });
  const rolledBack = api.store.write(async (tx) => {
    await nextChangeNumber(tx, environment);
    throw new Error('no');
  });
  await assert.rejects(rolledBack, /^Error: no$/);
  const number = await change(api.store, environment);
  await until('the later one is told', () => of(environment).length > 0);
  assert.deepEqual(of(environment), [number]);
});

test('of many changes at once the last is told, and the numbers only grow', async () => {
  const environment = await anEnvironment(api);
  const { of } = await watching({ store: api.store });
  const numbers = await Promise.all(Array.from({ length: 50 }, () => change(api.store, environment)));
  await until('the last one is told', () => of(environment).at(-1) === Math.max(...numbers));
  const told = of(environment);
  assert.deepEqual(
    told,
    [...new Set(told)].sort((a, b) => a - b),
  );
  for (const number of told) assert.ok(numbers.includes(number));
});

test('a change without a notice is found by comparing', async () => {
  const environment = await anEnvironment(api);
  const { of } = await watching({ store: await anotherStore(), compareMs: 20 });
  const number = 1 + (await change(api.store, environment));
  await until('the announced one is told', () => of(environment).length > 0);
  await setNumber(api.store, environment, number);
  await until('the silent one is told', () => of(environment).at(-1) === number);
});

test('an environment that came later is watched as well', async () => {
  const { of } = await watching({ store: await anotherStore(), compareMs: 20 });
  const environment = await anEnvironment(api);
  const number = await change(api.store, environment);
  await until('it is told', () => of(environment).at(-1) === number);
});

test('a number that went down is not told', async () => {
  const [sinking, other] = [await anEnvironment(api), await anEnvironment(api)];
  const { of } = await watching({ store: api.store, compareMs: 20 });
  const number = await change(api.store, sinking);
  await until('it is told', () => of(sinking).at(-1) === number);
  await setNumber(api.store, sinking, number - 5);
  // Found by a comparison, which saw the lower number as well.
  const later = number + 1_000;
  await setNumber(api.store, other, later);
  await until('the other is told', () => of(other).at(-1) === later);
  assert.deepEqual(of(sinking), [number]);
});

test('nothing is told after the stop', async () => {
  const environment = await anEnvironment(api);
  const [stopped, running] = [await watching({ store: api.store }), await watching({ store: api.store })];
  await stopped.watch.stop();
  await change(api.store, environment);
  await until('it is told to the other', () => running.of(environment).length > 0);
  assert.deepEqual(stopped.of(environment), []);
});
