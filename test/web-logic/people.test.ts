import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { patchUser, type User } from '#domain/users.ts';
import { countOf, listed } from '../../web/src/administration/count.ts';
import { addressesIn } from '../../web/src/features/users/addresses.ts';
import { groupOperations } from '../../web/src/features/users/group-operations.ts';

suite('people', () => {
  test('addresses are found in whatever was pasted, each once', () => {
    const text = ' ana@example.org,liu@example.org\n<Noor@example.org>; ANA@example.org\t,';
    assert.deepEqual(addressesIn(text), ['ana@example.org', 'liu@example.org', 'Noor@example.org']);
    assert.deepEqual(addressesIn(' \n'), []);
  });

  const user = (groupIds: string[]): User => ({
    id: '1',
    name: 'Liu',
    email: 'liu@example.org',
    status: 'ACTIVE',
    twoFactor: false,
    groupIds,
    createdAt: 0,
  });

  test('groups are changed by what differs, so that what others did meanwhile is kept', () => {
    const operations = groupOperations(['a', 'b'], ['b', 'c']);
    assert.deepEqual(patchUser(user(['a', 'b']), operations).groupIds, ['b', 'c']);
    assert.deepEqual(patchUser(user(['a', 'b', 'theirs']), operations).groupIds, ['b', 'theirs', 'c']);
    assert.deepEqual(groupOperations(['a'], ['a']), []);
  });

  test('numbers and names are said as people say them', () => {
    assert.equal(countOf(1, 'key'), '1 key');
    assert.equal(countOf(1200, 'person', 'people'), '1,200 people');
    assert.equal(listed([]), '');
    assert.equal(listed(['a']), 'a');
    assert.equal(listed(['a', 'b', 'c']), 'a, b and c');
    assert.equal(listed(['a', 'b', 'c', 'd', 'e']), 'a, b, c and 2 more');
  });
});
