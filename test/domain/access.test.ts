import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Actor, allows, permissions, permissionsOf, type Role, roleNames, type Scope } from '#domain/access.ts';
import { powers } from '../support/written-access.ts';

for (const permission of permissions) {
  test(`${permission} belongs to its roles and to no other`, () => {
    const having = roleNames.filter((role) => permissionsOf([role]).has(permission));
    const written = roleNames.filter((role) => powers[role] === '*' || powers[role].split(' ').includes(permission));
    assert.deepEqual(having, written);
  });
}

test('several roles have what each has; no role has nothing', () => {
  const [keys, flags] = [permissionsOf(['API_APIKEY']), permissionsOf(['API_FEATURE_FLAG_VIEWER'])];
  assert.deepEqual(permissionsOf(['API_APIKEY', 'API_FEATURE_FLAG_VIEWER']), new Set([...keys, ...flags]));
  assert.equal(permissionsOf([]).size, 0);
});

const scopes: Record<Scope['kind'], Scope> = {
  account: { kind: 'account' },
  project: { kind: 'project', projectId: 'p1' },
  member: { kind: 'member', userId: 'u1' },
  environment: { kind: 'environment', projectId: 'p1', environmentIds: ['e1', 'e2'] },
};
const anActor = (scope: Scope, ...roles: Role[]): Actor => ({
  type: 'api_key',
  id: 'k1',
  name: 'key',
  permissions: permissionsOf(roles),
  scope,
});

/** Which scopes of an actor are wide enough for an endpoint of that scope. */
const wideEnough: Record<'account' | 'project' | 'environment', Scope['kind'][]> = {
  account: ['account'],
  project: ['account', 'project', 'member'],
  environment: ['account', 'project', 'member', 'environment'],
};
for (const demanded of ['account', 'project', 'environment'] as const) {
  for (const [kind, scope] of Object.entries(scopes)) {
    const wide = wideEnough[demanded].some((enough) => enough === kind);
    test(`an actor of scope ${kind} ${wide ? 'may' : 'must not'} use what demands scope ${demanded}`, () => {
      const access = { needs: 'definition.write', scope: demanded } as const;
      assert.equal(allows(anActor(scope, 'API_FEATURE_FLAG_EDITOR'), access), wide);
      assert.equal(allows(anActor(scope, 'API_FEATURE_FLAG_VIEWER'), access), false, 'never without the permission');
    });
  }
}

test('a key for some projects or environments cannot write users or groups, whatever its roles', () => {
  for (const needs of ['user.write', 'group.write'] as const) {
    const may = (scope: Scope) => allows(anActor(scope, 'API_ALL_GRANTED'), { needs, scope: 'account' });
    assert.deepEqual(Object.values(scopes).map(may), [true, false, false, false]);
  }
});
