/** An imported account gives every key the treatment that it had: the official engine says so, on both sides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { contextFor } from '#commands/context.ts';
import { permissionsOf } from '#domain/access.ts';
import { matcherTypes } from '#domain/definitions/matchers.ts';
import type { Comparison } from '#domain/import/report.ts';
import type { SourceAccount, SourceProject } from '#domain/import/source.ts';
import { applyPlan } from '#import/apply.ts';
import { planAccount } from '#import/here.ts';
import { type VerifyOptions, verifyAccount } from '#import/verify.ts';
import { startApi } from '../support/app.ts';
import { aSourceProject, longAgo, withKeys } from '../support/import-account.ts';
import { keys, largeSegments, ruleBasedSegments, standardSegments } from '../support/random-values.ts';
import { worldOf } from '../support/random-worlds.ts';
import { report, sized } from '../support/trust.ts';

const worlds = sized({ short: 20, long: 100 });
const evaluations = sized({ short: 20_000, long: 1_000_000 });

/** The Admin API refuses texts with NUL or half a surrogate pair. */
const sendable = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, part) =>
    typeof part === 'string' ? part.replaceAll('\0', 'NUL').toWellFormed() : part,
  );

/** Keys as a segment can list them. */
const listable = keys.filter((key) => key.trim() === key && key !== '' && key.isWellFormed() && !key.includes('\0'));

function projectOf(number: number): SourceProject {
  const world = worldOf(number);
  const shared = { description: '', trafficType: 'user', tags: [] };
  const listing = (name: string, kind: 'standard' | 'large') => ({
    ...shared,
    kind,
    name,
    environments: [
      {
        environment: 'Prod',
        ...withKeys(
          listable.filter((key) => world.listsKey(name, key)),
          longAgo,
        ),
      },
    ],
  });
  return aSourceProject(`World ${number}`, {
    environments: [{ name: 'Prod', production: true, hasSeeds: true }],
    viewers: undefined,
    rolloutStatuses: [],
    flagSets: [],
    segments: [
      ...standardSegments.map((name) => listing(name, 'standard')),
      ...largeSegments.map((name) => listing(name, 'large')),
      ...ruleBasedSegments.slice(0, -1).map((name) => ({
        ...shared,
        kind: 'rule_based' as const,
        name,
        environments: [
          {
            environment: 'Prod',
            changeNumber: longAgo + 1,
            keyCount: undefined,
            definition: sendable({ ...world.segmentRulesOf(name) }),
          },
        ],
      })),
    ],
    flags: [...world.flags, { ...world.flags[0], name: 'elsewhere' }].map((flag, index) => {
      const { name, seed, trafficAllocationSeed, algo, ...body } = {
        ...world.flags[0],
        ...flag,
      } as (typeof world.flags)[number];
      const seeds = { seed, trafficAllocationSeed };
      const definition = {
        environment: 'Prod',
        flagSets: [],
        seeds,
        algorithm: algo,
        changeNumber: longAgo + 10 + index,
      };
      const definitions = name === 'elsewhere' ? [] : [{ ...definition, body: sendable(body) }];
      return {
        name,
        description: '',
        trafficType: 'user',
        rolloutStatus: undefined,
        tags: [],
        owners: [],
        creationTime: undefined,
        definitions,
      };
    }),
  });
}

const source: SourceAccount = {
  name: 'Split (api.split.io)',
  projects: Array.from({ length: worlds }, (_, number) => projectOf(number)),
  groups: [],
  users: [],
  unread: [],
};

const api = await startApi();
const operator = {
  type: 'operator',
  id: 'test',
  name: 'test',
  permissions: permissionsOf(['API_ALL_GRANTED']),
  scope: { kind: 'account' },
} as const;
const context = contextFor(api.store, { actor: operator, transactionId: 'import' });
const plan = await planAccount(api.store, source);
const { refused } = await applyPlan(context, plan);
const definitions = source.projects.flatMap(({ flags }) => flags.flatMap((flag) => flag.definitions));
const perFlag = Math.ceil(evaluations / definitions.length);
const verified = (options: Partial<VerifyOptions> = {}): Promise<Comparison> =>
  verifyAccount(api.store, source, { perFlag, ...options });

test(`${evaluations} evaluations of an imported account are the same on both sides`, async () => {
  const written = JSON.stringify(definitions.map(({ body }) => body));
  assert.deepEqual(
    matcherTypes.filter((type) => !written.includes(`"${type}"`)),
    [],
  );
  assert.deepEqual(refused, []);
  assert.deepEqual(
    plan.items
      .filter(({ action }) => action !== 'create' && action !== 'same')
      .map(({ name, reason }) => [name, reason]),
    [],
  );
  const started = performance.now();
  let last = 0;
  const onProgress = ({ done }: { done: number }) => {
    last = done;
  };
  const result = await verified({ onProgress });
  assert.deepEqual(result.differences, []);
  assert.equal(result.skipped, 0);
  assert.equal(result.compared, definitions.length);
  assert.equal(last, definitions.length);
  assert.ok(result.evaluations >= evaluations, String(result.evaluations));
  report(`${result.evaluations} evaluations on both sides in ${Math.round((performance.now() - started) / 1000)} s`);
});

const changes = {
  'a seed': sql`update definitions set seed = seed + 1`,
  'the algorithm': sql`update definitions set algo = 3 - algo`,
  'the seed of the allocation': sql`update definitions set traffic_allocation_seed = traffic_allocation_seed + 1`,
  'the traffic allocation': sql`update definitions set targeting = replace(targeting, '"trafficAllocation":100', '"trafficAllocation":50')`,
  'a configuration': sql`update definitions set targeting = replace(targeting, 'blue', 'red')`,
  'a key of a segment': sql`update segment_keys set is_removed = true`,
  'the rules of a segment': sql`update segment_environments set rules = null`,
};

for (const [what, statement] of Object.entries(changes)) {
  test(`a difference in ${what} is found, with what each side says`, async () => {
    const rollBack = new Error('only looked at');
    let found: Comparison | undefined;
    await api.store
      .write(async (tx) => {
        await tx.run(statement);
        found = await verifyAccount(tx, { ...source, projects: source.projects.slice(0, 12) }, { perFlag: 200 });
        throw rollBack;
      })
      .catch((error: unknown) => assert.equal(error, rollBack));
    assert.ok(found && found.differenceCount > 0 && found.differences[0]);
    const { there, here, key, project, environment } = found.differences[0];
    assert.ok(there !== here && key !== '' && project.startsWith('World') && environment === 'Prod');
    assert.ok(found.differences.length <= 1_000);
  });
}

test('a verification can be stopped', async () => {
  const stop = new AbortController();
  const running = verified({ signal: stop.signal, perFlag: 100_000, onProgress: () => stop.abort() });
  await assert.rejects(running, { name: 'AbortError' });
});
