import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { completeSummaries } from '#store/definition-summaries.ts';
import { completeReferences } from '#store/references.ts';
import { startApi } from '../support/app.ts';
import { aDefinition, aFlag, aProject, type ProjectFixture } from '../support/build.ts';

const api = await startApi();

const rule = (matcher: object) => ({
  buckets: [{ treatment: 'on', size: 100 }],
  condition: { combiner: 'AND', matchers: [matcher] },
});
const inSegment = (string: string) => rule({ type: 'IN_SEGMENT', string });
const dependsOn = (splitName: string) => rule({ type: 'IN_SPLIT', depends: { splitName, treatment: 'on' } });

const referencesOf = async (flag: { id: string }) =>
  (
    await api.store.all<{ kind: string; name: string }>(sql`
      select kind, name from object_references where flag_id = ${flag.id} order by kind, name`)
  ).map(({ kind, name }) => `${kind} ${name}`);

const pathOf = (project: ProjectFixture, flag: { name: string }) =>
  `/splits/ws/${project.name}/${flag.name}/environments/${project.staging.name}`;

/** A flag whose definition names another flag, and segments in a rule and in a treatment, one like the flag. */
async function aNamingFlag() {
  const project = await aProject(api);
  const [flag, needed] = [await aFlag(api, project), await aFlag(api, project)];
  await api.post(pathOf(project, needed), aDefinition());
  const definition = aDefinition({ rules: [dependsOn(needed.name), inSegment(needed.name), inSegment('beta')] });
  const { status, text } = await api.post(pathOf(project, flag), definition);
  assert.equal(status, 200, text);
  return { project, flag, needed, path: pathOf(project, flag) };
}

test('references of a definition are recorded by kind, follow its changes, and are deleted with it', async () => {
  const { flag, needed, path } = await aNamingFlag();
  const segments = ['segment beta', `segment ${needed.name}`].sort();
  assert.deepEqual(await referencesOf(flag), [`flag ${needed.name}`, ...segments]);
  await api.patch(path, [
    { op: 'remove', path: '/rules/0' },
    { op: 'add', path: '/treatments/0/segments/-', value: 'alpha' },
  ]);
  assert.deepEqual(await referencesOf(flag), ['segment alpha', ...segments]);
  await api.delete(path);
  assert.deepEqual(await referencesOf(flag), []);
});

test('references written by a node of the previous release are taken over at the next start', async () => {
  const { flag, needed } = await aNamingFlag();
  const before = await referencesOf(flag);
  await api.store.write(async (tx) => {
    await tx.run(sql`delete from object_references where flag_id = ${flag.id}`);
    await tx.run(sql`delete from definition_summaries where flag_id = ${flag.id}`);
  });
  await completeReferences(api.store);
  assert.deepEqual(await referencesOf(flag), [`flag ${needed.name}`]);
  await completeSummaries(api.store);
  assert.deepEqual(await referencesOf(flag), before);

  await api.store.write((tx) => tx.run(sql`delete from dependencies where flag_id = ${flag.id}`));
  await completeReferences(api.store);
  assert.deepEqual(
    await referencesOf(flag),
    before.filter((reference) => reference.startsWith('segment')),
  );
});

test('a segment with the name of a flag neither uses the flag nor closes a cycle', async () => {
  const { project, flag, needed } = await aNamingFlag();
  const other = await aFlag(api, project);
  const definition = aDefinition({ rules: [inSegment(needed.name)] });
  assert.equal((await api.post(pathOf(project, other), definition)).status, 200);
  const { body } = await api.get(`/splits/ws/${project.name}/${needed.name}/dependents`);
  assert.deepEqual(
    body.objects.map((dependent: { flag: { name: string } }) => dependent.flag.name),
    [flag.name],
  );
  const patch = [{ op: 'add', path: '/rules/-', value: dependsOn(other.name) }];
  assert.equal((await api.patch(pathOf(project, needed), patch)).status, 200);
});
