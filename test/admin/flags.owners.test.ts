import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aFlag, aProject, copiesOfFlag, uniqueName } from '../support/build.ts';
import { aPerson, setUpAdministrator } from '../support/session.ts';

const api = await startApi();
await setUpAdministrator(api);

const asOwner = ({ id }: { id: string }) => ({ id, type: 'user' });

async function aTeam() {
  const { body } = await api.post('/groups', { name: uniqueName('team') });
  return { id: body.id as string, type: 'group' };
}

async function aFlagPath(project?: { id: string }) {
  const { id } = project ?? (await aProject(api));
  const flag = await aFlag(api, { id });
  return { project: { id }, flag, path: `/splits/ws/${id}/${flag.name}` };
}

const ownersOf = async (path: string) => (await api.get(path)).body.owners;
const setOwners = (path: string, owners: unknown, options = {}) =>
  api.patch(path, [{ op: 'add', path: '/owners', value: owners }], options);

test('a flag can have several people and groups as owners, changed as a whole, by index or by appending', async () => {
  const { project, flag, path } = await aFlagPath();
  const [ann, bob, team] = [asOwner(await aPerson(api)), asOwner(await aPerson(api)), await aTeam()];
  const actions = await api.recorded(async () => {
    const { status, body } = await setOwners(path, [ann, team]);
    assert.equal(status, 200);
    assert.equal('owners' in body, false, 'owners are in GET answers');
    const { before, after } = (await api.lastChange()) as Record<'before' | 'after', { owners: unknown }>;
    assert.deepEqual([before.owners, after.owners], [[], [ann, team]]);
  });
  assert.deepEqual(actions, ['flag.patched']);
  await api.patch(path, [{ op: 'add', path: '/owners/-', value: bob }]);
  assert.deepEqual(await ownersOf(path), [ann, team, bob]);
  await api.patch(path, [{ op: 'remove', path: '/owners/0' }]);
  assert.deepEqual(await ownersOf(path), [team, bob]);
  for (const { id } of [team, bob]) {
    const { body } = await api.get(`/splits/ws/${project.id}?owner=${id}`);
    assert.deepEqual(
      body.objects.map(({ name }: { name: string }) => name),
      [flag.name],
    );
  }
  await api.patch(path, [{ op: 'remove', path: '/owners' }]);
  assert.deepEqual(await ownersOf(path), []);
});

test('adding an owner again changes nothing', async () => {
  const { path } = await aFlagPath();
  const ann = asOwner(await aPerson(api));
  await setOwners(path, [ann]);
  const again = () => api.patch(path, [{ op: 'add', path: '/owners/-', value: ann }]);
  assert.deepEqual(await api.recorded(again), []);
});

test('owners must exist and be people or groups; those that a flag has may stay', async () => {
  const { path } = await aFlagPath();
  const ann = await aPerson(api);
  refused(await setOwners(path, [{ id: 'nobody', type: 'user' }]), 400, 'owners: there is no user with the id nobody');
  refused(
    await setOwners(path, [{ id: ann.id, type: 'group' }]),
    400,
    `owners: there is no group with the id ${ann.id}`,
  );
  for (const owners of [
    [{ id: ann.id, type: 'api_key' }],
    [ann.id],
    'ann',
    Array.from({ length: 21 }, () => asOwner(ann)),
  ]) {
    assert.equal((await setOwners(path, owners)).status, 400);
  }
  assert.deepEqual(await ownersOf(path), []);
});

test('a flag loses the owner that is deleted, with an audit entry for each flag', async () => {
  const project = await aProject(api);
  const [one, other] = [await aFlagPath(project), await aFlagPath(project)];
  const team = await aTeam();
  const { body: invited } = await api.post('/users', { email: `${uniqueName('invited')}@example.com`, groups: [] });
  await setOwners(one.path, [team, asOwner(invited)]);
  await setOwners(other.path, [team]);
  assert.deepEqual(await api.recorded(() => api.delete(`/groups/${team.id}`)), [
    'flag.patched',
    'flag.patched',
    'group.deleted',
  ]);
  assert.deepEqual([await ownersOf(one.path), await ownersOf(other.path)], [[asOwner(invited)], []]);
  assert.deepEqual(await api.recorded(() => api.delete(`/users/${invited.id}`)), ['flag.patched', 'user.deleted']);
  assert.deepEqual(await ownersOf(one.path), []);
});

test('an owner of many flags is deleted if they fit into one transaction', async () => {
  const project = await aProject(api);
  const { flag, path } = await aFlagPath(project);
  const team = await aTeam();
  const ann = asOwner(await aPerson(api));
  await setOwners(path, [team, ann]);
  await copiesOfFlag(api, flag, 3_000);
  refused(await api.delete(`/groups/${team.id}`), 400, / owns more than 3000 flags$/);
  await setOwners(path, [ann]);
  const actions = await api.recorded(async () => {
    const { status, text } = await api.delete(`/groups/${team.id}`);
    assert.equal(status, 200, text);
  });
  assert.equal(actions.length, 3_001);
  const { body } = await api.get(`/splits/ws/${project.id}?owner=${ann.id}&limit=1`);
  assert.equal(body.totalCount, 3_001);
  assert.equal((await api.get(`/splits/ws/${project.id}?owner=${team.id}`)).body.totalCount, 0);
});

test('a restored flag has those of its owners that still exist', async () => {
  const { project, flag, path } = await aFlagPath();
  const [ann, team] = [asOwner(await aPerson(api)), await aTeam()];
  await setOwners(path, [team, ann]);
  await api.delete(path);
  await api.delete(`/groups/${team.id}`);
  assert.equal((await api.post(`/splits/ws/${project.id}/deleted/${flag.id}/restore`, {})).status, 200);
  assert.deepEqual(await ownersOf(path), [ann]);
});

test('where owners can edit their flags, adding an owner takes all the rights that owners get', async () => {
  const project = await aProject(api);
  const { path } = await aFlagPath(project);
  const [ann, bob] = [await aPerson(api), await aPerson(api)];
  const access = `/workspaces/${project.id}/access`;
  const closed = [{ id: project.production.id, editors: { restricted: true, grantees: [] } }];
  assert.equal((await api.put(access, { environments: closed })).status, 200);
  assert.equal((await setOwners(path, [asOwner(bob)], ann.signedIn)).status, 200, 'owners are only named here');

  assert.equal((await api.put(access, { ownersEdit: true })).status, 200);
  const refusal = await setOwners(path, [asOwner(bob), asOwner(ann)], ann.signedIn);
  refused(refusal, 403, 'Role is insufficient');
  assert.match(refusal.body.details, /can edit definitions in production/);
  assert.equal((await setOwners(path, [], ann.signedIn)).status, 403, 'nor takes a right away');
  const described = [{ op: 'replace', path: '/description', value: 'still possible' }];
  assert.equal((await api.patch(path, described, ann.signedIn)).status, 200);

  assert.equal((await setOwners(path, [asOwner(bob), asOwner(ann)], bob.signedIn)).status, 200, 'an owner shares');
  assert.equal((await setOwners(path, [asOwner(ann)])).status, 200);
});
