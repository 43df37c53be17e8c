/** Archive, unarchive, and the restoring of deleted flags, also as an official SDK sees them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFlag, aProject, aSetName } from '../support/build.ts';
import { anSdkKey, aPollingSdk, listening, type Sdk, treated } from '../support/sdk.ts';

const api = await startApi();
const url = await listening(api);

const half = {
  defaultRule: [
    { treatment: 'on', size: 50 },
    { treatment: 'off', size: 50 },
  ],
};
const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
const treatmentsOf = ({ client }: Sdk, flag: string) => keys.map((key) => client.getTreatment(key, flag));

const evaluate = async (key: string, flag: string) =>
  (
    await fetch(`${url}/ofrep/v1/evaluate/flags/${flag}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ context: { targetingKey: 'ann' } }),
    })
  ).status;

test('an archived flag is gone for SDKs and lists, keeps its name and cannot be changed; unarchived, every key gets what it got', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project, half);
  const ofFlag = `/splits/ws/${project.id}/${flag.name}`;
  const key = await anSdkKey(api, project);
  const sdk = await aPollingSdk(url, key);
  const before = treatmentsOf(sdk, flag.name);
  const names = async (query = '') =>
    (await api.get(`/splits/ws/${project.id}${query}`)).body.objects.map((one: { name: string }) => one.name);
  const defined = async (query = '') =>
    (await api.get(`/splits/ws/${project.id}/environments/${project.staging.id}${query}`)).body;

  const actions = await api.recorded(async () => {
    const { status, body } = await api.post(`${ofFlag}/archive`, { comment: 'Not needed' });
    assert.equal(status, 200);
    assert.equal(typeof body.archivedAt, 'number');
  });
  assert.deepEqual(actions, ['flag.archived']);
  assert.equal((await api.lastChange()).comment, 'Not needed');
  // Again changes nothing.
  assert.deepEqual(await api.recorded(() => api.post(`${ofFlag}/archive`)), []);
  await treated(sdk, ['ann', flag.name, 'control']);
  assert.deepEqual(sdk.manager.names(), []);
  assert.equal(await evaluate(key, flag.name), 404);
  assert.deepEqual((await aPollingSdk(url, key)).manager.names(), []);
  assert.deepEqual([await names(), await names('?archived=true')], [[], [flag.name]]);
  assert.deepEqual([(await defined()).totalCount, (await defined('?archived=true')).totalCount], [0, 1]);
  assert.equal((await api.get(`/splits/ws/${project.id}`)).body.totalCount, 0);

  const archived = `Flag ${flag.name} is archived; unarchive it before you change it`;
  const patch = [{ op: 'replace', path: '/description', value: 'new' }];
  for (const answer of [
    await api.patch(ofFlag, patch),
    await api.put(`${ofFlag}/updateDescription`, 'new'),
    await api.post(`/tags/ws/${project.id}/object/${flag.name}/objecttype/Split`, ['new']),
    await api.put(path, aDefinition()),
    await api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 10 }]),
    await api.put(`${path}/kill`),
    await api.post(`${ofFlag}/environments/${project.production.id}`, aDefinition()),
  ]) {
    refused(answer, 409, archived);
  }
  const sameName = await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: flag.name });
  refused(sameName, 409, `Feature flag ${flag.name} already exists`);

  assert.deepEqual(await api.recorded(() => api.post(`${ofFlag}/unarchive`)), ['flag.unarchived']);
  assert.equal((await api.get(ofFlag)).body.archivedAt, undefined);
  await treated(sdk, [keys[0] ?? '', flag.name, before[0] ?? '']);
  assert.deepEqual(treatmentsOf(sdk, flag.name), before);
  assert.ok(new Set(before).size === 2);
  assert.deepEqual([await names(), await names('?archived=true')], [[flag.name], []]);
  assert.equal((await defined()).totalCount, 1);
  assert.equal((await api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 10 }])).status, 200);
});

test('a change of something that an archived flag names does not bring it back, and it can be deleted', async () => {
  const project = await aProject(api);
  const { body: set } = await api.post('/internal/api/v3/flag-sets', {
    name: aSetName(),
    workspace: { id: project.id },
  });
  const { flag, path } = await aDefinedFlag(api, project, { flagSets: [{ id: set.id, type: 'flag_set' }] });
  const sdk = await aPollingSdk(url, await anSdkKey(api, project));
  await api.post(`/splits/ws/${project.id}/${flag.name}/archive`);
  await treated(sdk, ['ann', flag.name, 'control']);
  assert.equal((await api.delete(`/internal/api/v3/flag-sets/${set.id}`)).status, 200);
  const other = await aDefinedFlag(api, project);
  await treated(sdk, ['ann', other.flag.name, sdk.client.getTreatment('ann', other.flag.name)]);
  assert.equal(sdk.client.getTreatment('ann', flag.name), 'control');
  // The definition can be removed, so that its environment can be deleted.
  assert.equal((await api.delete(path)).status, 200);
  assert.equal((await api.delete(`/splits/ws/${project.id}/${flag.name}`)).status, 200);
  assert.equal((await api.get(`/splits/ws/${project.id}`)).body.totalCount, 1);
});

test('rules see control of an archived flag, and no new rule can name it', async () => {
  const project = await aProject(api);
  const needed = await aDefinedFlag(api, project, { defaultRule: [{ treatment: 'on', size: 100 }] });
  const depends = { type: 'IN_SPLIT', depends: { splitName: needed.flag.name, treatments: ['on'] } };
  const rules = [{ buckets: [{ treatment: 'on', size: 100 }], condition: { combiner: 'AND', matchers: [depends] } }];
  const off = { rules, defaultRule: [{ treatment: 'off', size: 100 }] };
  const { flag } = await aDefinedFlag(api, project, off);
  const sdk = await aPollingSdk(url, await anSdkKey(api, project));
  await treated(sdk, ['ann', flag.name, 'on']);
  const ofNeeded = `/splits/ws/${project.id}/${needed.flag.name}`;
  assert.equal((await api.get(`${ofNeeded}/dependents`)).body.totalCount, 1);
  await api.post(`${ofNeeded}/archive`);
  await treated(sdk, ['ann', flag.name, 'off']);
  const other = await aFlag(api, project);
  const there = `/splits/ws/${project.id}/${other.name}/environments/${project.staging.id}`;
  refused(await api.post(there, aDefinition(off)), 400, /is not a flag of the project/);
  await api.post(`${ofNeeded}/unarchive`);
  await treated(sdk, ['ann', flag.name, 'on']);
});

test('a deleted flag is restored whole: id, details, definitions and seeds', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project, half);
  const ofFlag = `/splits/ws/${project.id}/${flag.name}`;
  await api.post(`${ofFlag}/environments/${project.production.id}`, aDefinition());
  await api.patch(ofFlag, [
    { op: 'add', path: '/tags/-', value: { name: 'payments' } },
    { op: 'replace', path: '/description', value: 'Whole' },
  ]);
  await api.put(`${path}/kill`);
  await api.put(`${path}/restore`);
  const whole = async () => {
    const { definitions, changeCount: _, ...rest } = (await api.get(`${ofFlag}?expand=definitions`)).body;
    const unstamped = definitions.map(({ etag: _, lastUpdateTime: __, ...one }: Record<string, unknown>) => one);
    return { ...rest, definitions: unstamped };
  };
  const before = await whole();
  assert.equal(before.definitions.length, 2);
  const sdk = await aPollingSdk(url, await anSdkKey(api, project));
  const treatments = treatmentsOf(sdk, flag.name);
  const restore = `/splits/ws/${project.id}/deleted/${flag.id}/restore`;
  refused(await api.post(restore), 404, `Could not find deleted flag ${flag.id}`);
  await api.delete(ofFlag);
  await treated(sdk, ['ann', flag.name, 'control']);
  const actions = await api.recorded(async () => assert.equal((await api.post(restore)).status, 200));
  assert.deepEqual(actions.sort(), ['definition.undeleted', 'definition.undeleted', 'flag.undeleted']);
  assert.deepEqual(await whole(), before);
  await treated(sdk, [keys[0] ?? '', flag.name, treatments[0] ?? '']);
  assert.deepEqual(treatmentsOf(sdk, flag.name), treatments);
  // The history goes on, and it can be deleted and restored again; one of those who do so at once succeeds.
  await api.delete(ofFlag);
  const statuses = (await Promise.all([1, 2, 3, 4].map(() => api.post(restore)))).map(({ status }) => status);
  assert.deepEqual(
    [...new Set(statuses)].filter((status) => ![200, 404, 409].includes(status)),
    [],
  );
  assert.equal(statuses.filter((status) => status === 200).length, 1);
  assert.deepEqual(await whole(), before);
});

test('a deleted flag is not restored if its name is taken, and is restored without what no longer exists', async () => {
  const project = await aProject(api);
  const elsewhere = await aProject(api);
  const { body: set } = await api.post('/internal/api/v3/flag-sets', {
    name: aSetName(),
    workspace: { id: project.id },
  });
  const needed = await aDefinedFlag(api, project);
  const depends = { type: 'IN_SPLIT', depends: { splitName: needed.flag.name, treatments: ['on'] } };
  const rules = [{ buckets: [{ treatment: 'on', size: 100 }], condition: { combiner: 'AND', matchers: [depends] } }];
  const { flag, path } = await aDefinedFlag(api, project, { rules, flagSets: [{ id: set.id, type: 'flag_set' }] });
  const ofFlag = `/splits/ws/${project.id}/${flag.name}`;
  await api.post(`${ofFlag}/environments/${project.production.id}`, aDefinition());
  await api.delete(ofFlag);
  const restore = `/splits/ws/${project.id}/deleted/${flag.id}/restore`;
  refused(await api.post(`/splits/ws/${elsewhere.id}/deleted/${flag.id}/restore`), 404, /deleted flag/);
  await aFlag(api, project, flag.name);
  refused(await api.post(restore), 409, `Feature flag ${flag.name} already exists`);
  await api.delete(ofFlag);
  await api.delete(`/internal/api/v3/flag-sets/${set.id}`);
  // Now the other one would depend on it: a cycle.
  const back = { type: 'IN_SPLIT', depends: { splitName: flag.name, treatments: ['on'] } };
  await aFlag(api, project, flag.name);
  const cyclic = aDefinition({ rules: [{ ...rules[0], condition: { combiner: 'AND', matchers: [back] } }] });
  assert.equal((await api.put(needed.path, cyclic)).status, 200);
  await api.delete(ofFlag);
  const refusal = await api.post(restore);
  refused(refusal, 400, /depends on/);
  assert.match(refusal.body.message, new RegExp(needed.flag.name));
  await api.delete(`/splits/ws/${project.id}/${needed.flag.name}`);
  assert.equal((await api.post(restore)).status, 200);
  const { body } = await api.get(path);
  assert.deepEqual([body.rules.length, body.flagSets ?? []], [1, []]);
});

test('archiving and restoring need the right to edit each definition', async () => {
  const project = await aProject(api);
  const { flag } = await aDefinedFlag(api, project);
  await api.post(`/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`, aDefinition());
  const as = await api.key({ roles: ['API_FEATURE_FLAG_EDITOR'], scope: { kind: 'project', projectId: project.id } });
  const ofFlag = `/splits/ws/${project.id}/${flag.name}`;
  const editors = { restricted: true, grantees: [] };
  await api.put(`/workspaces/${project.id}/access`, { environments: [{ id: project.production.id, editors }] });
  const archive = await api.post(`${ofFlag}/archive`, undefined, { as });
  assert.equal(archive.status, 403, archive.text);
  assert.equal((await api.post(`${ofFlag}/archive`)).status, 200);
  assert.equal((await api.post(`${ofFlag}/unarchive`, undefined, { as })).status, 403);
  await api.delete(ofFlag);
  const restore = `/splits/ws/${project.id}/deleted/${flag.id}/restore`;
  assert.equal((await api.post(restore, undefined, { as })).status, 403);
  assert.equal((await api.get(ofFlag)).status, 404);
  assert.equal((await api.post(restore)).status, 200);
});

test('a removed definition is restored from the audit log with its seeds, alone and only once', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project, half);
  const restore = `${path}/undelete`;
  const seeds = async () => {
    const { body } = await api.get(`/splits/ws/${project.id}/${flag.name}?expand=definitions`);
    return body.definitions.map(({ etag: _, lastUpdateTime: __, ...one }: Record<string, unknown>) => one);
  };
  const before = await seeds();
  refused(await api.post(restore), 409, `Definition of ${flag.name} in ${project.staging.name} already exists`);
  const never = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}/undelete`;
  refused(await api.post(never), 404, /^Could not find a deleted definition/);
  await api.delete(path);
  // Defined and removed again: the last one comes back.
  await api.post(path, aDefinition());
  await api.delete(path);
  assert.equal((await api.post(restore)).status, 200);
  assert.notDeepEqual(await seeds(), before);
  await api.delete(path);
  await api.post(path, { ...aDefinition(half), ...bucketingOf(before[0]) });
  await api.delete(path);
  await api.post(`/splits/ws/${project.id}/${flag.name}/archive`);
  refused(await api.post(restore), 409, /archived/);
  await api.post(`/splits/ws/${project.id}/${flag.name}/unarchive`);
  const actions = await api.recorded(async () =>
    assert.equal((await api.post(restore, { title: 'Back', comment: 'Needed' })).status, 200),
  );
  assert.deepEqual([actions, (await api.lastChange()).title], [['definition.undeleted'], 'Back']);
  assert.deepEqual((await seeds()).map(bucketingOf), before.map(bucketingOf));
  refused(await api.post(restore), 409, /already exists/);
});

const bucketingOf = ({ seed, trafficAllocationSeed, algo }: Record<string, unknown>) => ({
  seed,
  trafficAllocationSeed,
  algo,
});
