/** Files of Split: lists of its Admin API, and what its SDKs get. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { matcherTypes } from '#domain/definitions/matchers.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import type { SourceDefinition } from '#domain/import/source.ts';
import { readFile } from '#import/files/file.ts';
import { readSplitAccount } from '#import/split/account.ts';
import { temporaryFolder } from '../support/databases.ts';
import { startSplitAccount } from '../support/split-account.ts';

const folder = temporaryFolder();
const read = (document: unknown, environment?: string) => {
  const file = join(folder, 'export.json');
  writeFileSync(file, JSON.stringify(document));
  return readFile({ file, project: 'Shop', environment });
};

interface Listed {
  readonly objects: { readonly rolloutStatus: { readonly name: string } }[];
}

const ask = async (url: string, key: string): Promise<Listed> => {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  return (await response.json()) as Listed;
};

/** Empty shares and lists say nothing. */
const meaningOf = (body: unknown) => {
  const { baselineTreatment: _, flagSets: __, treatments, rules, defaultRule, ...rest } = parseTargeting(body);
  return {
    ...rest,
    treatments: treatments.map(({ description: ___, ...one }) => one).sort((a, b) => (a.name < b.name ? -1 : 1)),
    rules: rules.map(({ buckets, condition }) => ({ buckets: buckets.filter(({ size }) => size > 0), condition })),
    defaultRule: defaultRule.filter(({ size }) => size > 0),
  };
};

test('the SDK payload has the whole definition: the same as from the account, with its seeds', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: matcherTypes.length });
  const { url, adminKey, sdkKeys } = vendor;
  const { signal } = new AbortController();
  const live = await readSplitAccount({ url, adminKey, sdkKeys, signal });
  for (const [spec, isNew] of [
    ['s=1.3&since=-1&rbSince=-1', true],
    ['s=1.1&since=-1', false],
  ] as const) {
    const document = await ask(`${url}/api/splitChanges?${spec}`, sdkKeys['Default/Staging'] ?? '');
    assert.equal('ff' in document, isNew);
    const { projects, unread } = read(document, 'Staging');
    assert.deepEqual(unread, []);
    assert.deepEqual(projects[0]?.environments, [{ name: 'Staging', production: false, hasSeeds: true }]);
    for (const flag of live.projects[0]?.flags ?? []) {
      const there = flag.definitions.find(({ environment }) => environment === 'Staging') ?? assert.fail();
      const own: SourceDefinition | undefined = projects[0]?.flags.find((one) => one.name === flag.name)
        ?.definitions[0];
      assert.ok(own);
      assert.deepEqual(meaningOf(own.body), meaningOf(there.body));
      const facts = ({ seeds, algorithm, changeNumber, flagSets }: SourceDefinition) => [
        seeds,
        algorithm,
        changeNumber,
        flagSets,
      ];
      assert.deepEqual(facts(own), facts(there));
    }
  }
});

test('lists of the Admin API are read, in an envelope or not, with their environments', async () => {
  const { url, adminKey, project } = await startSplitAccount({ projects: 1, flags: 12 });
  const { id, environments } = project('Default');
  const flags = await ask(`${url}/internal/api/v2/splits/ws/${id}?limit=50`, adminKey);
  const lists = await Promise.all(
    environments.map((one) => ask(`${url}/internal/api/v2/splits/ws/${id}/environments/${one.id}?limit=50`, adminKey)),
  );
  const definitions = lists.flatMap(({ objects }) => objects);
  for (const document of [definitions, { flags, definitions }, { flags: flags.objects, definitions }]) {
    const { projects } = read(document);
    const [own] = projects;
    assert.equal(own?.name, 'Shop');
    assert.equal(own?.flags.length, 12);
    assert.equal(own.flags.flatMap((flag) => flag.definitions).length, definitions.length);
    assert.deepEqual(own.environments.map(({ name, hasSeeds }) => `${name} ${hasSeeds}`).sort(), [
      'Production false',
      'Staging false',
    ]);
    assert.deepEqual(
      own.trafficTypes.map(({ name }) => name),
      ['user'],
    );
  }
  assert.equal(read({ flags, definitions }).projects[0]?.flags[0]?.rolloutStatus, flags.objects[0]?.rolloutStatus.name);
  assert.equal(read(flags).projects[0]?.flags.length, 12);
});

test('a definition that Burgee cannot express is left out, with the reason', async () => {
  const vendor = await startSplitAccount({ projects: 1, flags: 3 });
  vendor.edit('Default', 'flag_0', {
    environment: 'Staging',
    change: (definition) => {
      definition.prerequisites.push({ n: 'flag_1', ts: ['on'] });
      definition.targeting.trafficAllocation = 50;
    },
  });
  const { 'Default/Staging': key = '' } = vendor.sdkKeys;
  const { projects, unread } = read(await ask(`${vendor.url}/api/splitChanges?s=1.3&since=-1`, key), 'Staging');
  assert.deepEqual(
    unread.map(({ what }) => what),
    ['Definition of flag_0 in Staging'],
  );
  assert.equal(projects[0]?.flags.length, 3);
});

test('the SDK payload does not name its environment, so the caller must', async () => {
  const { url, sdkKeys } = await startSplitAccount({ projects: 1, flags: 1 });
  const document = await ask(`${url}/api/splitChanges?s=1.3&since=-1`, sdkKeys['Default/Staging'] ?? '');
  assert.throws(() => read(document), /does not say which environment/);
});

test('a file with nothing that is known is refused', () => {
  for (const document of [{}, [], 'text', 12, null, { objects: [{ id: 1 }] }]) {
    assert.throws(
      () => read(document),
      /is neither a list of LaunchDarkly flags, nor an export of Unleash, nor flags of Split/,
    );
  }
});
