/** The policy over random groups, lists and owners in a real database, held against a naive model of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import sql, { bulk, join } from 'sql-template-tag';
import type { Actor, Scope } from '#domain/access.ts';
import { openPermissions } from '#domain/environments.ts';
import { explainRights } from '#domain/explained-rights.ts';
import { type NamedGrantee, type ProjectAccess, type Rights, rightsFrom } from '#domain/rights.ts';
import { listGroupsOfUser } from '#store/groups.ts';
import { findProjectAccess, saveEnvironmentAccess, saveProjectAccess } from '#store/restrictions.ts';
import { listStandings } from '#store/rights.ts';
import { startApi } from '../support/app.ts';
import { aFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();
const project = await aProject(api);
const elsewhere = await aProject(api);
const made = async (count: number, make: () => Promise<{ body: { id: string } }>): Promise<string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await make()).body.id);
  return ids;
};
const groupIds = await made(3, () => api.post('/groups', { name: uniqueName('group') }));
const userIds = await made(4, () => api.post('/users', { email: `${uniqueName('user')}@example.com` }));
const keyIds = await made(2, () => api.post('/apiKeys', { name: uniqueName('key'), apiKeyType: 'admin' }));
const flagIds = [(await aFlag(api, project)).id, (await aFlag(api, project)).id];
// By name, as sentences have them.
await api.store.write((tx) => tx.run(sql`update users set name = id where id in (${join(userIds)})`));
const environmentIds = [project.staging.id, project.production.id];

const grantees: readonly NamedGrantee[] = [
  ...groupIds.map((id) => ({ type: 'group' as const, id })),
  ...userIds.map((id) => ({ type: 'user' as const, id })),
  ...keyIds.map((id) => ({ type: 'api_key' as const, id })),
];
const list = fc.subarray([...grantees]);
const circle = fc.record({ restricted: fc.boolean(), grantees: list });
const owners = fc.subarray(grantees.filter(({ type }) => type !== 'api_key'));
const worlds = fc.record({
  memberships: fc.tuple(...userIds.map(() => fc.subarray(groupIds))),
  view: circle,
  edit: circle,
  ownersEdit: fc.boolean(),
  environments: fc.tuple(...environmentIds.map(() => fc.record({ editors: circle, killers: list }))),
  owners: fc.tuple(...flagIds.map(() => owners)),
});
type World = typeof worlds extends fc.Arbitrary<infer Value> ? Value : never;

const named = (listed: readonly NamedGrantee[]) => listed.map((one) => ({ ...one, name: '' }));

/** In the database, and nothing of the world before. */
const save = (world: World) =>
  api.store.write(async (tx) => {
    for (const [index, id] of userIds.entries()) {
      await tx.run(sql`delete from memberships where user_id = ${id}`);
      const rows = (world.memberships[index] ?? []).map((groupId, position) => [id, groupId, position]);
      if (rows.length > 0)
        await tx.run(sql`insert into memberships (user_id, group_id, position) values ${bulk(rows)}`);
    }
    const { view, edit, ownersEdit } = world;
    await saveProjectAccess(tx, {
      id: project.id,
      ownersEdit,
      view: { ...view, grantees: named(view.grantees) },
      edit: { ...edit, grantees: named(edit.grantees) },
    });
    for (const [index, { editors, killers }] of world.environments.entries()) {
      await saveEnvironmentAccess(tx, project.id, {
        ...openPermissions,
        id: environmentIds[index] ?? '',
        editors: { ...editors, grantees: named(editors.grantees) },
        killers: named(killers),
      });
    }
    for (const [index, id] of flagIds.entries()) {
      await tx.run(sql`update flags set owners = ${JSON.stringify(world.owners[index])} where id = ${id}`);
    }
  });

const actor = (type: Actor['type'], id: string, scope: Scope): Actor => ({
  type,
  id,
  scope,
  name: '',
  permissions: new Set(),
});
const actors: readonly Actor[] = [
  ...userIds.map((id) => actor('user', id, { kind: 'member', userId: id })),
  ...keyIds.map((id) => actor('api_key', id, { kind: 'account', viewerKeyId: id })),
  actor('api_key', keyIds[0] ?? '', { kind: 'project', projectId: project.id }),
  actor('api_key', keyIds[0] ?? '', { kind: 'project', projectId: elsewhere.id }),
  actor('api_key', keyIds[1] ?? '', { kind: 'environment', projectId: project.id, environmentIds }),
];

/** The rules as the decision has them, read off the lists one by one. */
function modelled(
  world: World,
  { type, id, scope }: Actor,
  at: { environment: number; flag: number | undefined },
): Rights {
  const groups = type === 'user' ? (world.memberships[userIds.indexOf(id)] ?? []) : [];
  const isNamed = (listed: readonly NamedGrantee[]) =>
    listed.some((one) => (one.type === type && one.id === id) || (one.type === 'group' && groups.includes(one.id)));
  const isIn = ({ restricted, grantees: listed }: World['view']) => !restricted || isNamed(listed);
  const environment = world.environments[at.environment];
  const flagOwners = at.flag === undefined ? [] : (world.owners[at.flag] ?? []);
  const owns = world.ownersEdit && type === 'user' && isNamed(flagOwners);
  const view = 'projectId' in scope ? scope.projectId === project.id : isIn(world.view);
  const edit = view && (owns || isIn(world.edit));
  const define = edit && (owns || (environment !== undefined && isIn(environment.editors)));
  const kill = view && (define || (environment !== undefined && isNamed(environment.killers)));
  return { view, edit, define, kill };
}

test('the policy over the rows equals a naive model, and what people read agrees with both', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      await save(world);
      for (const one of actors) {
        for (const flag of [undefined, 0, 1]) {
          const flagId = flag === undefined ? undefined : flagIds[flag];
          const rows = await listStandings(api.store, one, { projectId: project.id, environmentIds, flagId });
          assert.equal(rows.length, environmentIds.length);
          for (const row of rows) {
            const environment = environmentIds.indexOf(row.environmentId ?? '');
            assert.deepEqual(rightsFrom(row), modelled(world, one, { environment, flag }));
          }
        }
      }
      const access = (await findProjectAccess(api.store, project.id)) ?? assert.fail();
      for (const one of actors.slice(0, userIds.length)) await requireExplained(world, one, access);
    }),
    { numRuns: 40 },
  );
});

async function requireExplained(world: World, one: Actor, access: ProjectAccess): Promise<void> {
  const groups = await listGroupsOfUser(api.store, one.id);
  const told = explainRights(access, { type: 'user', id: one.id, groups, mayGrant: false });
  for (const [environment, { define, kill }] of told.environments.entries()) {
    const rights = { view: told.view.may, edit: told.edit.may, define: define.may, kill: kill.may };
    assert.deepEqual(rights, modelled(world, one, { environment, flag: undefined }));
  }
  // A sentence that says who may must not name them, and one that says through what they may must name that.
  const own = [one.id, ...groups.map((group) => group.name)];
  for (const { may, reason } of [told.view, told.edit, ...told.environments.flatMap((at) => [at.define, at.kill])]) {
    const words = reason.split(/[\s,.]+/);
    if (!may) assert.ok(!own.some((each) => words.includes(each)), `${own.join(', ')} is told: ${reason}`);
    const group = /[Tt]hrough the group (.+)\.$/.exec(reason)?.[1];
    if (group !== undefined) assert.ok(may && own.includes(group), reason);
    if (/[Ll]isted by name\.$/.test(reason)) assert.ok(may);
  }
}
