/** Another Burgee as the source of an import: it returns what Split does, and more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceAccount } from '#domain/import/source.ts';
import { readSplitAccount } from '#import/split/account.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aFullProject, aSetName, uniqueName } from '../support/build.ts';
import { anSdkKey, listening } from '../support/sdk.ts';

const api = await startApi();
const url = await listening(api);
const { signal } = new AbortController();

const read = (projects: string[], sdkKeys: Record<string, string> = {}): Promise<SourceAccount> =>
  readSplitAccount({ url, adminKey: api.adminKey, sdkKeys, projects, signal });

async function only(project: string, sdkKeys?: Record<string, string>) {
  const source = await read([project], sdkKeys);
  const [found] = source.projects;
  assert.ok(found);
  return { ...source, project: found };
}

test('a Burgee is known as one', async () => {
  const { name } = await read([]);
  assert.equal(name, `Burgee (${new URL(url).host})`);
});

test('seeds, algorithm and numbers are known without an SDK key, and are those that SDKs get', async () => {
  const place = await aFullProject(api);
  const seeds = { seed: -5, trafficAllocationSeed: 6 };
  const { flag } = await aDefinedFlag(api, place, { ...seeds, algo: 1, trafficAllocation: 40 });
  const flagsWith = async (sdkKeys?: Record<string, string>) => (await only(place.name, sdkKeys)).project;
  const without = await flagsWith();
  const withKey = await flagsWith({ staging: await anSdkKey(api, place) });
  assert.deepEqual(without.flags, withKey.flags);
  assert.ok(without.environments.every(({ hasSeeds }) => hasSeeds));
  const [definition] = without.flags.find(({ name }) => name === flag.name)?.definitions ?? [];
  assert.deepEqual(definition?.seeds, seeds);
  assert.equal(definition?.algorithm, 1);
  assert.ok(definition?.changeNumber);
  assert.equal(definition.body.trafficAllocation, 40);
});

test('keys of segments of all kinds are read, with and without an SDK key', async () => {
  const place = await aFullProject(api);
  for (const sdkKeys of [{}, { staging: await anSdkKey(api, place) }]) {
    const { project, unread } = await only(place.name, sdkKeys);
    assert.deepEqual(unread, []);
    const found = await Promise.all(
      project.segments.map(async ({ kind, environments }) => {
        const [active] = environments;
        const keys: string[] = [];
        for await (const page of active?.keys?.() ?? []) keys.push(...page);
        return [kind, active?.keyCount, new Set(keys).size] as const;
      }),
    );
    assert.deepEqual(found.map((one) => one.join(' ')).sort(), [
      'large 1 1',
      'rule_based  0',
      'standard  0',
      'standard 600 600',
    ]);
  }
});

test('flag sets, attributes, tags and rules are read', async () => {
  const place = await aFullProject(api);
  const name = aSetName();
  await api.post('/internal/api/v3/flag-sets', { name, workspace: { id: place.id } });
  const { flag } = await aDefinedFlag(api, place, { flagSets: [name] });
  const { project } = await only(place.name);
  assert.deepEqual(project.flags.find((one) => one.name === flag.name)?.definitions[0]?.flagSets, [name]);
  assert.ok(project.flagSets.some((set) => set.name === name));
  assert.deepEqual(
    project.trafficTypes[0]?.attributes.map(({ id }) => id),
    ['plan'],
  );
  const standard = project.segments.find(({ tags }) => tags.length > 0);
  assert.deepEqual(standard?.tags, ['beta']);
  const [rules] = project.segments.filter(({ kind }) => kind === 'rule_based');
  assert.deepEqual(rules?.environments[0]?.definition, {
    rules: [],
    excludedKeys: ['user-1'],
    excludedSegments: [{ name: standard?.name, type: 'standard_segment' }],
  });
});

test('people, and who may see a project and edit an environment, are read by name', async () => {
  const place = await aFullProject(api);
  const group = uniqueName('group');
  const { body: made } = await api.post('/groups', { name: group });
  const email = `${uniqueName('person')}@example.com`;
  const { body: user } = await api.post('/users', { email, groups: [{ id: made.id }] });
  const [administrators] = (await api.get('/groups?limit=1')).body.objects;
  const { status } = await api.put(`/workspaces/${place.id}/access`, {
    view: { restricted: true, grantees: [administrators, made].map(({ id }) => ({ id, type: 'group' })) },
    edit: { restricted: true, grantees: [{ id: made.id, type: 'group' }] },
    environments: [{ id: place.staging.id, editors: { restricted: true, grantees: [{ id: user.id, type: 'user' }] } }],
  });
  assert.equal(status, 200);
  const { project, users, groups } = await only(place.name);
  assert.deepEqual(project.viewers?.map(({ name }) => name).sort(), ['Administrators', group].sort());
  assert.deepEqual(project.editors, [{ kind: 'group', name: group }]);
  assert.deepEqual(
    project.environments.map(({ name, editors }) => [name, editors]),
    [
      ['staging', [{ kind: 'user', name: email }]],
      ['production', undefined],
    ],
  );
  assert.ok(groups.some(({ name }) => name === group));
  assert.deepEqual(users.find((one) => one.email === email)?.groups, [group]);
});

test('a body that was read is taken by another Burgee as it is, and gives the same again', async () => {
  const place = await aFullProject(api);
  const rule = {
    buckets: [{ treatment: 'on', size: 100 }],
    condition: { matchers: [{ type: 'IN_LIST_SEMVER', attribute: 'version', strings: ['1.2.3'] }] },
  };
  const { flag } = await aDefinedFlag(api, place, { rules: [rule], killed: true });
  const { project } = await only(place.name);
  const [definition] = project.flags.find(({ name }) => name === flag.name)?.definitions ?? [];
  assert.ok(definition);
  const path = `/splits/ws/${place.id}/${flag.name}/environments/${place.production.id}`;
  const { seeds, algorithm: algo } = definition;
  const answer = await api.post(path, { ...definition.body, ...seeds, algo });
  assert.equal(answer.status, 200, answer.text);
  const again = (await only(place.name)).project.flags.find(({ name }) => name === flag.name)?.definitions ?? [];
  const [one, other] = again.map(({ environment: _, changeNumber: __, ...same }) => same);
  assert.deepEqual(one, other);
  assert.deepEqual(
    Object.keys(aDefinition()).filter((name) => !(name in definition.body)),
    [],
  );
});
