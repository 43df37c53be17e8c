/** Rules that ask for the treatment of another flag (IN_SPLIT). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aDefinition, aFlag, aProject, type ProjectFixture } from '../support/build.ts';

const api = await startApi();

const buckets = [{ treatment: 'on', size: 100 }];
const matcherFor = (splitName: string) => ({ type: 'IN_SPLIT', depends: { splitName, treatments: ['on'] } });
const rulesFor = (...names: string[]) =>
  names.map((name) => ({ buckets, condition: { combiner: 'AND', matchers: [matcherFor(name)] } }));
const needing = (...names: string[]) => aDefinition({ rules: rulesFor(...names) });

/** A project with flags of these names; returns the paths of their definitions in staging. */
async function aProjectWith<const Names extends readonly string[]>(names: Names) {
  const project = await aProject(api);
  for (const name of names) await aFlag(api, project, name);
  return { project, at: (name: Names[number], environment = 'staging') => pathOf(project, name, environment) };
}
const pathOf = ({ id }: ProjectFixture, name: string, environment: string) =>
  `/splits/ws/${id}/${name}/environments/${environment}`;

/** The attempt leaves neither a change in staging nor an audit entry behind. */
async function changesNothing({ id }: ProjectFixture, attempt: () => Promise<unknown>) {
  const before = (await api.get(`/splits/ws/${id}/environments/staging`)).text;
  assert.deepEqual(await api.recorded(attempt), []);
  assert.equal((await api.get(`/splits/ws/${id}/environments/staging`)).text, before);
}

const define = async (path: string, body: unknown) => {
  const { status, text } = await api.post(path, body);
  assert.equal(status, 200, text);
};

test('the treatments of another flag come as treatment or treatments and are answered as treatments', async () => {
  const { at } = await aProjectWith(['needing', 'needed']);
  await define(at('needing'), aDefinition());
  const table = [
    [{ splitName: 'needed', treatments: ['on', 'off'] }, ['on', 'off']],
    [{ splitName: 'needed', treatment: 'on' }, ['on']],
    [{ splitName: 'needed', treatment: 'off', treatments: ['on'] }, ['on']],
    [{ splitName: 'needed', treatment: 'on', treatments: null }, ['on']],
  ] as const;
  for (const [depends, treatments] of table) {
    const matchers = [{ type: 'IN_SPLIT', attribute: '', depends }];
    const { status, body, text } = await api.put(
      at('needing'),
      aDefinition({ rules: [{ buckets, condition: { matchers } }] }),
    );
    assert.equal(status, 200, text);
    const expected = [{ type: 'IN_SPLIT', depends: { splitName: 'needed', treatments } }];
    assert.deepEqual(body.rules[0].condition.matchers, expected);
  }
});

test('the other flag must exist in the project, but need not be defined', async () => {
  const { project, at } = await aProjectWith(['needing', 'needed']);
  const { at: _, ...other } = await aProjectWith(['elsewhere']);
  const foreignId = (await api.get(`/splits/ws/${other.project.id}/elsewhere`)).body.id;
  const ownId = (await api.get(`/splits/ws/${project.id}/needed`)).body.id;
  for (const name of ['absent', 'elsewhere', 'NEEDED', foreignId, ownId, '']) {
    await changesNothing(project, async () => {
      const place = 'rules/1/condition/matchers/0/depends/splitName';
      refused(await api.post(at('needing'), needing('needed', name)), 400, new RegExp(`^${place} ${name}`));
    });
  }
  await define(at('needing'), needing('needed'));
});

test('a flag cannot depend on itself', async () => {
  const { project, at } = await aProjectWith(['alone']);
  await changesNothing(project, async () => refused(await api.post(at('alone'), needing('alone')), 400, /itself/));
  await define(at('alone'), aDefinition());
  const patch = [{ op: 'add', path: '/rules/-', value: rulesFor('alone')[0] }];
  await changesNothing(project, async () => {
    refused(await api.put(at('alone'), needing('alone')), 400, /itself/);
    refused(await api.patch(at('alone'), patch), 400, /itself/);
  });
});

test('a cycle is refused by POST, PUT and PATCH, however long', async () => {
  const { project, at } = await aProjectWith(['a', 'b', 'c', 'd'].map((letter) => `flag-${letter}`));
  const [a, b, c, d] = ['flag-a', 'flag-b', 'flag-c', 'flag-d'] as const;
  await define(at(a), needing(b));
  await changesNothing(project, async () => refused(await api.post(at(b), needing(a)), 400, /cycle/));
  await define(at(b), needing(c));
  await changesNothing(project, async () => refused(await api.post(at(c), needing(a)), 400, /cycle/));
  await define(at(c), needing(d));
  await define(at(d), aDefinition());
  for (const name of [a, b, c]) {
    await changesNothing(project, async () => {
      const patch = [{ op: 'add', path: '/rules/-', value: rulesFor(name)[0] }];
      refused(await api.put(at(d), needing(name)), 400, /cycle/);
      refused(await api.patch(at(d), patch), 400, /cycle/);
    });
  }
});

test('several flags may depend on one, and one on several, without a cycle', async () => {
  const { at } = await aProjectWith(['top', 'left', 'right', 'bottom']);
  await define(at('bottom'), aDefinition());
  await define(at('left'), needing('bottom'));
  await define(at('right'), needing('bottom', 'bottom'));
  await define(at('top'), needing('left', 'right', 'bottom'));
});

test('a definition depends on at most 100 flags', async () => {
  const names = Array.from({ length: 101 }, (_, index) => `needed-${index}`);
  const { project, at } = await aProjectWith(['needing', ...names]);
  await changesNothing(project, async () => {
    refused(await api.post(at('needing'), needing(...names)), 400, /^rules .*100/);
  });
  await define(at('needing'), needing(...names.slice(1)));
});

test('a dependency that is given up no longer makes a cycle', async () => {
  const give = {
    'by PUT': (path: string) => api.put(path, aDefinition()),
    'by PATCH': (path: string) => api.patch(path, [{ op: 'remove', path: '/rules/0' }]),
    'by DELETE': (path: string) => api.delete(path),
  };
  for (const [how, giveUp] of Object.entries(give)) {
    const { at } = await aProjectWith(['first', 'second']);
    await define(at('first'), needing('second'));
    await giveUp(at('first'));
    const { status } = await api.post(at('second'), needing('first'));
    assert.equal(status, 200, how);
  }
});

test('a dependency that came later makes a cycle, also after changes that leave it alone', async () => {
  const take = {
    'by PUT': (path: string) => api.put(path, needing('second')),
    'by PATCH': (path: string) => api.patch(path, [{ op: 'add', path: '/rules/-', value: rulesFor('second')[0] }]),
    'by DELETE and POST': async (path: string) => {
      await api.delete(path);
      return api.post(path, needing('second'));
    },
  };
  for (const [how, takeUp] of Object.entries(take)) {
    const { at } = await aProjectWith(['first', 'second', 'third']);
    await define(at('first'), needing('third'));
    assert.equal((await takeUp(at('first'))).status, 200, how);
    const changes = [
      () => api.patch(at('first'), [{ op: 'replace', path: '/defaultTreatment', value: 'on' }]),
      () => api.put(`${at('first')}/kill`),
      () => api.put(`${at('first')}/restore`),
    ];
    for (const change of changes) assert.equal((await change()).status, 200, how);
    refused(await api.post(at('second'), needing('first')), 400, /cycle/);
  }
});

test('dependencies of one environment make no cycle in another', async () => {
  const { at } = await aProjectWith(['first', 'second']);
  await define(at('first', 'staging'), needing('second'));
  await define(at('second', 'production'), needing('first'));
  await define(at('second', 'staging'), aDefinition());
});

test('a killed definition keeps its dependencies', async () => {
  const { project, at } = await aProjectWith(['first', 'second']);
  await define(at('first'), needing('second'));
  await api.put(`${at('first')}/kill`);
  await changesNothing(project, async () => refused(await api.post(at('second'), needing('first')), 400, /cycle/));
});

test('a rule on a flag that is gone blocks no other edit, but no new rule can name it', async () => {
  const { project, at } = await aProjectWith(['needing', 'needed']);
  await define(at('needing'), needing('needed'));
  assert.equal((await api.delete(`/splits/ws/${project.id}/needed`)).text, 'true');
  const patch = [{ op: 'replace', path: '/trafficAllocation', value: 1 }];
  assert.equal((await api.patch(at('needing'), patch)).body.trafficAllocation, 1);
  assert.equal((await api.put(`${at('needing')}/kill`)).body.killed, true);
  assert.equal((await api.put(`${at('needing')}/restore`)).body.killed, false);
  assert.equal((await api.patch(at('needing'), [{ op: 'remove', path: '/rules/0' }])).status, 200);
  await changesNothing(project, async () => {
    refused(await api.put(at('needing'), needing('needed')), 400, /needed is not a flag of the project/);
  });
  assert.equal((await api.delete(at('needing'))).text, 'true');
});

test('a flag that was deleted and comes back under its name is depended on as before', async () => {
  const { project, at } = await aProjectWith(['needing', 'needed']);
  await define(at('needing'), needing('needed'));
  await api.delete(`/splits/ws/${project.id}/needed`);
  await aFlag(api, project, 'needed');
  await changesNothing(project, async () => refused(await api.post(at('needed'), needing('needing')), 400, /cycle/));
});

test('the definitions of an environment depend on at most 5,000 flags together', async () => {
  const names = Array.from({ length: 152 }, (_, index) => `node-${index}`);
  const { project, at } = await aProjectWith(names);
  for (let index = 0; index < 50; index += 1) await define(at(`node-${index}`), needing(...names.slice(52)));
  await changesNothing(project, async () => {
    refused(await api.post(at('node-50'), needing('node-51')), 400, /^rules must not add dependencies: .* 5000$/);
  });
  const swapped = needing(...names.slice(51, 151));
  assert.equal((await api.put(at('node-0'), swapped)).status, 200, 'one in the place of another');
  assert.equal((await api.put(at('node-1'), aDefinition())).status, 200);
  await define(at('node-50'), needing('node-51'));
  refused(await api.post(at('node-51'), needing('node-0')), 400, /cycle/);
});

const dependentsOf = async ({ id }: ProjectFixture, flag: string, query = '') => {
  const { status, body } = await api.get(`/splits/ws/${id}/${flag}/dependents${query}`);
  assert.equal(status, 200);
  const pairs = body.objects.map(({ flag: { name }, environment }: { flag: Named; environment: Named }) => [
    name,
    environment.name,
  ]);
  return { ...body, pairs };
};
type Named = { readonly name: string };

test('the flags that depend on a flag are listed once for each environment, and no others', async () => {
  const { project, at } = await aProjectWith(['base', 'second', 'first', 'indirect', 'other']);
  const stranger = await aProjectWith(['base', 'stranger']);
  await define(stranger.at('stranger'), needing('base'));
  for (const environment of ['staging', 'production']) {
    for (const name of ['second', 'first'] as const) await define(at(name, environment), needing('base', 'base'));
  }
  await define(at('indirect'), needing('first'));
  await define(at('other'), aDefinition());
  const { body: environments } = await api.get(`/environments/ws/${project.id}`);
  const expected = environments.flatMap(({ name }: Named) => ['first', 'second'].map((flag) => [flag, name]));
  const all = await dependentsOf(project, 'base');
  assert.deepEqual([all.pairs, all.totalCount, all.limit], [expected, 4, 20]);
  const page = await dependentsOf(project, 'base', '?offset=1&limit=2');
  assert.deepEqual([page.pairs, page.totalCount], [expected.slice(1, 3), 4]);
  const second = await dependentsOf(project, 'base', `?environmentId=${environments[1].id}`);
  assert.deepEqual([second.pairs, second.totalCount], [expected.slice(2), 2]);
  const [{ flag, environment }] = all.objects;
  assert.deepEqual(flag, { id: (await api.get(`/splits/ws/${project.id}/first`)).body.id, name: 'first' });
  assert.deepEqual(Object.keys(environment).sort(), ['id', 'name']);
  await api.put(at('first'), aDefinition());
  await api.delete(at('second', 'production'));
  const left = [
    ['second', 'staging'],
    ['first', 'production'],
  ];
  assert.deepEqual(new Set((await dependentsOf(project, 'base')).pairs), new Set(left));
  assert.deepEqual((await dependentsOf(project, 'other')).pairs, []);
  assert.equal((await api.get(`/splits/ws/${project.id}/nobody/dependents`)).status, 404);
});
