/** Definitions that are too large to be read together: lists show them as if they were small. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { completeSummaries } from '#store/definition-summaries.ts';
import { startApi } from '../support/app.ts';
import { aDefinition, aFlag, aProject, type ProjectFixture } from '../support/build.ts';

const api = await startApi();

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Of some ten bytes for each key. */
const withKeys = (count: number) =>
  aDefinition({ treatments: [{ name: 'on', keys: many(count, (index) => `größe-${index}`) }, { name: 'off' }] });

/** So that a part of a page is full in the middle of it, and that a large one is first, last and beside another. */
const keyCounts = [60_000, 0, 60_000, 60_000, 2_000, 1, 60_000];

const pathOf = ({ id }: ProjectFixture, flag: { name: string }, environment: string) =>
  `/splits/ws/${id}/${flag.name}/environments/${environment}`;

async function aProjectOfLargeDefinitions() {
  const project = await aProject(api);
  const expected = [];
  for (const count of keyCounts) {
    const flag = await aFlag(api, project);
    const answer = await api.post(pathOf(project, flag, 'staging'), withKeys(count));
    assert.equal(answer.status, 200, answer.text.slice(0, 300));
    expected.push({ flag, definition: answer.body });
  }
  return { project, expected };
}

const large = await aProjectOfLargeDefinitions();

test('a page has all definitions that it should have, however large they are', async () => {
  const { project, expected } = large;
  const path = `/splits/ws/${project.id}/environments/staging`;
  const whole = await api.get(`${path}?limit=50`);
  assert.ok(whole.text.length > 3_000_000, String(whole.text.length));
  assert.deepEqual(whole.body, {
    objects: expected.map(({ definition }) => definition),
    offset: 0,
    limit: 50,
    totalCount: expected.length,
  });
  const page = await api.get(`${path}?limit=3&offset=2`);
  assert.deepEqual(
    page.body.objects,
    expected.slice(2, 5).map(({ definition }) => definition),
  );
  assert.deepEqual([page.body.offset, page.body.limit, page.body.totalCount], [2, 3, expected.length]);
});

test('a flag has all its definitions with it, however large they are', async () => {
  const { project, expected } = large;
  const [{ flag, definition } = assert.fail()] = expected;
  const { body: small } = await api.post(pathOf(project, flag, 'production'), aDefinition());
  const { body, headers } = await api.get(`/splits/ws/${project.id}/${flag.name}?expand=definitions`);
  assert.equal(headers.etag, (await api.get(`/splits/ws/${project.id}/${flag.name}`)).headers.etag);
  const shown = body.definitions.map(
    ({ etag, seed, trafficAllocationSeed, algo, ...rest }: Record<string, unknown>) => {
      assert.deepEqual(
        [typeof etag, typeof seed, typeof trafficAllocationSeed, algo],
        ['string', 'number', 'number', 2],
      );
      return rest;
    },
  );
  assert.deepEqual(shown, [definition, small]);
});

interface Summary {
  readonly treatments: readonly string[];
  readonly defaultTreatment: string;
  readonly killed: boolean;
  readonly lastUpdateTime: number;
}

const summaryOf = async ({ id }: ProjectFixture): Promise<Summary> => {
  const { body } = await api.get(`/splits/ws/${id}?expand=environments`);
  return body.objects[0].definitions[0];
};

test('a summary of hundreds of treatments is shown whole', async () => {
  const project = await aProject(api);
  const names = many(500, (index) => `treatment-${index}`);
  const treatments = names.map((name) => ({ name }));
  const defaultRule = [{ treatment: 'treatment-0', size: 100 }];
  const flag = await aFlag(api, project);
  await api.post(
    pathOf(project, flag, 'staging'),
    aDefinition({ treatments, defaultTreatment: 'treatment-1', defaultRule }),
  );
  assert.deepEqual((await summaryOf(project)).treatments, names);
});

/** Changes the definition as a release does that knows nothing of summaries. */
const changeWithoutSummary = (flag: { id: string }, targeting: object) =>
  api.store.write((tx) =>
    tx.run(sql`
      update definitions
         set targeting = ${JSON.stringify(targeting)}, change_number = change_number + 1, updated_at = updated_at + 7
       where flag_id = ${flag.id}`),
  );

test('a summary follows its definition, even if another release changes the definition without it', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const path = pathOf(project, flag, 'staging');
  await api.post(path, aDefinition());
  await api.put(`${path}/kill`);
  const killed = await summaryOf(project);
  assert.deepEqual([killed.killed, killed.defaultTreatment], [true, 'off']);

  const foreign = { ...aDefinition(), killed: false, baselineTreatment: 'off', trafficAllocation: 100, rules: [] };
  await changeWithoutSummary(flag, { ...foreign, defaultTreatment: 'on' });
  const seen = await summaryOf(project);
  assert.deepEqual([seen.killed, seen.defaultTreatment, seen.lastUpdateTime], [false, 'on', killed.lastUpdateTime + 7]);

  await completeSummaries(api.store);
  assert.deepEqual(await summaryOf(project), seen);
  assert.deepEqual(await outdatedSummaries(), []);
});

test('a definition from before there were summaries gets its summary at the next start', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  await api.post(pathOf(project, flag, 'staging'), aDefinition());
  const before = await summaryOf(project);
  await api.store.write((tx) => tx.run(sql`delete from definition_summaries where flag_id = ${flag.id}`));
  assert.deepEqual(await summaryOf(project), before);
  await completeSummaries(api.store);
  assert.deepEqual(await outdatedSummaries(), []);
  assert.deepEqual(await summaryOf(project), before);
});

const outdatedSummaries = () =>
  api.store.all(sql`
    select d.flag_id from definitions d
      left join definition_summaries s on s.environment_id = d.environment_id and s.flag_id = d.flag_id
     where s.change_number is null or s.change_number <> d.change_number`);

test('a deleted definition leaves no summary behind', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  await api.post(pathOf(project, flag, 'staging'), aDefinition());
  await api.delete(pathOf(project, flag, 'staging'));
  const left = await api.store.all(sql`select flag_id from definition_summaries where flag_id = ${flag.id}`);
  assert.deepEqual(left, []);
});
