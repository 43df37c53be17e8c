import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, type ProjectFixture } from '../support/build.ts';
import { until } from '../support/until.ts';

const api = await startApi();

const definitionPath = (project: ProjectFixture, flag: { name: string }, environment: { id: string }) =>
  `/splits/ws/${project.id}/${flag.name}/environments/${environment.id}`;

const rule = {
  buckets: [{ treatment: 'on', size: 100 }],
  condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', strings: ['x'] }] },
};

/** A project with three flags: defined everywhere, in staging alone, nowhere. */
async function aProjectWithFlags() {
  const project = await aProject(api);
  const everywhere = await aFlag(api, project, 'everywhere');
  const rollout = {
    defaultRule: [
      { treatment: 'on', size: 10 },
      { treatment: 'off', size: 90 },
    ],
    trafficAllocation: 50,
  };
  // Production first, so that the order of the answer is not that of the definitions.
  await api.post(
    definitionPath(project, everywhere, project.production),
    aDefinition({ ...rollout, rules: [rule, rule] }),
  );
  await api.post(definitionPath(project, everywhere, project.staging), aDefinition());
  await api.put(`${definitionPath(project, everywhere, project.production)}/kill`);
  const { flag: somewhere } = await aDefinedFlag(api, project);
  const nowhere = await aFlag(api, project, 'nowhere');
  return { project, everywhere, somewhere, nowhere };
}

const referenceTo = ({ id, name }: { id: string; name: string }) => ({ id, name });

test('expand=environments adds to each listed flag what it does in each environment, in the order of their creation', async () => {
  const { project, everywhere } = await aProjectWithFlags();
  const { body } = await api.get(`/splits/ws/${project.id}?expand=environments`);
  const { body: production } = await api.get(definitionPath(project, everywhere, project.production));
  const { body: staging } = await api.get(definitionPath(project, everywhere, project.staging));
  const found = body.objects.map((flag: { name: string; definitions: { digest: string }[] }) => flag.definitions);
  const [first, second] = found[0];
  // Equal only where the same is targeted in the same way.
  assert.notEqual(first.digest, second.digest);
  const withoutDigest = found[0].map(({ digest: _, ...definition }: { digest: string }) => definition);
  assert.deepEqual(withoutDigest, [
    {
      environment: referenceTo(project.staging),
      killed: false,
      treatments: staging.treatments.map(({ name }: { name: string }) => name),
      defaultTreatment: 'off',
      trafficAllocation: 100,
      defaultRule: [{ treatment: 'off', size: 100 }],
      ruleCount: 0,
      lastUpdateTime: staging.lastUpdateTime,
    },
    {
      environment: referenceTo(project.production),
      killed: true,
      treatments: production.treatments.map(({ name }: { name: string }) => name),
      defaultTreatment: 'off',
      trafficAllocation: 50,
      defaultRule: [
        { treatment: 'on', size: 10 },
        { treatment: 'off', size: 90 },
      ],
      ruleCount: 2,
      lastUpdateTime: production.lastUpdateTime,
    },
  ]);
  assert.deepEqual(
    found.map((definitions: unknown[]) => definitions.length),
    [2, 1, 0],
  );
});

test('the list is otherwise the same, with or without expand, also together with filters and paging', async () => {
  const { project } = await aProjectWithFlags();
  for (const query of ['', 'limit=1&offset=1', 'name=where', 'tag=none', 'offset=9']) {
    const { body: plain } = await api.get(`/splits/ws/${project.id}?${query}`);
    const { body: expanded } = await api.get(`/splits/ws/${project.id}?expand=environments&${query}`);
    // The time of the last change of any definition is only in the expanded list.
    const objects = expanded.objects.map(
      ({ definitions: _, lastUpdateTime: __, ...flag }: { definitions: unknown; lastUpdateTime: number }) => flag,
    );
    assert.deepEqual({ ...expanded, objects }, plain, query);
    assert.ok(
      plain.objects.every((flag: object) => !('definitions' in flag)),
      query,
    );
  }
});

test('expanding a list costs two statements, however many flags there are', async (t) => {
  const { project } = await aProjectWithFlags();
  const { mock } = t.mock.method(api.store, 'all');
  const statements = async (query: string) => {
    mock.resetCalls();
    await api.get(`/splits/ws/${project.id}?${query}`);
    return mock.callCount();
  };
  for (const page of ['limit=1', 'limit=3']) {
    // Until the delivery has read the new flags, which are statements as well.
    await until(page, async () => (await statements(`${page}&expand=environments`)) === (await statements(page)) + 2);
  }
});

test('expand=definitions adds the definitions of a flag, each with the ETag of its own answer and its seeds', async () => {
  const { project, everywhere } = await aProjectWithFlags();
  const plain = await api.get(`/splits/ws/${project.id}/${everywhere.name}`);
  const expanded = await api.get(`/splits/ws/${project.id}/${everywhere.name}?expand=definitions`);
  const definitions = [];
  for (const environment of [project.staging, project.production]) {
    const { body, headers } = await api.get(definitionPath(project, everywhere, environment));
    const seeds = await api.store.one<{ seed: number; trafficAllocationSeed: number; algo: number }>(sql`
      select seed, traffic_allocation_seed as "trafficAllocationSeed", algo from definitions
       where environment_id = ${environment.id} and flag_id = ${everywhere.id}`);
    definitions.push({ ...body, etag: headers.etag, ...seeds });
  }
  // It was created, defined twice and killed once.
  assert.deepEqual(expanded.body, { ...plain.body, changeCount: 4, definitions });
  assert.equal(expanded.headers.etag, plain.headers.etag, 'the ETag of the answer is that of the flag');
  assert.ok(!('definitions' in plain.body));
  // Counting is for those who may read the audit log, and of entries that they see.
  const scope = { kind: 'environment', projectId: project.id, environmentIds: [project.staging.id] } as const;
  for (const [roles, count] of [
    [['API_FEATURE_FLAG_VIEWER'], undefined],
    [['API_ALL_GRANTED'], 4],
  ] as const) {
    const as = await api.key({ roles: [...roles], scope: { kind: 'project', projectId: scope.projectId } });
    const { body } = await api.get(`/splits/ws/${project.id}/${everywhere.name}?expand=definitions`, { as });
    assert.equal(body.changeCount, count);
  }
});

test('the ETag inside a definition is good for If-Match, once', async () => {
  const { project, somewhere } = await aProjectWithFlags();
  const { body } = await api.get(`/splits/ws/${project.id}/${somewhere.id}?expand=definitions`);
  const [definition] = body.definitions;
  const path = definitionPath(project, somewhere, definition.environment);
  const headers = { 'if-match': definition.etag };
  assert.equal((await api.put(`${path}/kill`, undefined, { headers })).status, 200);
  assert.equal((await api.put(`${path}/kill`, undefined, { headers })).status, 412);
});

test('a flag that is defined nowhere has no definitions to add', async () => {
  const { project, nowhere } = await aProjectWithFlags();
  assert.deepEqual((await api.get(`/splits/ws/${project.id}/${nowhere.name}?expand=definitions`)).body.definitions, []);
});

test('an unknown expansion is refused', async () => {
  const { project, everywhere } = await aProjectWithFlags();
  for (const path of [
    `/splits/ws/${project.id}?expand=definitions`,
    `/splits/ws/${project.id}/${everywhere.name}?expand=environments`,
  ]) {
    refused(await api.get(path), 400, /^expand must be /);
  }
});
