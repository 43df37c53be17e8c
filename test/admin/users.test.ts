import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { v7 as newId } from 'uuid';
import type { User, UserStatus } from '#domain/users.ts';
import { announceLinks } from '#jobs/mail.ts';
import { startOutbox } from '#jobs/outbox.ts';
import { hashOf } from '#security/secrets.ts';
import { listMails } from '#store/outbox.ts';
import { insertUser } from '#store/users.ts';
import { refused, startApi } from '../support/app.ts';
import { aProject, uniqueName } from '../support/build.ts';

const api = await startApi();
const administratorsId: string = (await api.get('/groups?limit=1')).body.objects[0].id;

const anEmail = () => `${uniqueName('user')}@example.com`;
const aGroupId = async (): Promise<string> => (await api.post('/groups', { name: uniqueName('group') })).body.id;
const references = (ids: readonly string[]) => ids.map((id) => ({ id, type: 'group' }));

/** Nobody becomes ACTIVE through the API alone, so users of each status are put into the store. */
async function aUser(status: UserStatus, fields: Partial<User> = {}): Promise<User> {
  const email = anEmail();
  const person = { id: newId(), name: 'Ann', email, status, twoFactor: false, groupIds: [], createdAt: Date.now() };
  const user: User = { ...person, ...fields };
  await api.store.write((tx) => insertUser(tx, user));
  return user;
}

/** What a full update sends to change nothing. */
const fullUpdate = ({ email, name, status, twoFactor }: User) => ({
  email,
  name,
  status,
  '2fa': twoFactor,
  type: 'user',
});

/** Asserts that what `body` does is recorded nowhere and changes nothing of the user. */
async function unchanged({ id }: { id: string }, body: () => Promise<unknown>) {
  const before = (await api.get(`/users/${id}`)).text;
  assert.deepEqual(await api.recorded(body), []);
  assert.equal((await api.get(`/users/${id}`)).text, before);
}

const add = (path: string, value?: unknown) => ({ op: 'add', path, value });
const replace = (path: string, value?: unknown) => ({ op: 'replace', path, value });
const remove = (path: string, value?: unknown) => ({ op: 'remove', path, value });
const check = (path: string, value: unknown) => ({ op: 'test', path, value });

const outboxOf = async (email: string) => (await listMails(api.store)).filter((entry) => entry.payload.email === email);

test('an invited user is PENDING, named by the address and in no group, and the answer says so', async () => {
  const actions = await api.recorded(async () => {
    const { status, body } = await api.post('/users', { email: `Ada+${uniqueName('x')}@Example.com`, groups: [] });
    assert.equal(status, 200);
    const { id, email } = body;
    const user = { id, type: 'user', name: email.split('@')[0], email, status: 'PENDING', '2fa': false };
    assert.deepEqual(body, { ...user, groups: [] });
    assert.deepEqual((await api.get(`/users/${id}`)).body, user, 'groups are left out of reads when there are none');
  });
  assert.deepEqual(actions, ['user.invited']);
});

test('groups of an invitation are absent, ids, or objects, each once', async () => {
  const [a, b] = [await aGroupId(), await aGroupId()];
  for (const [groups, expected] of [
    [undefined, []],
    [[], []],
    [
      [a, b],
      [a, b],
    ],
    [references([b, a]), [b, a]],
    [
      [{ id: a }, b, a],
      [a, b],
    ],
  ] as const) {
    const { status, body } = await api.post('/users', { email: anEmail(), groups });
    assert.equal(status, 200);
    assert.deepEqual(body.groups, references(expected));
  }
});

test('an invalid invitation is refused, and nobody is invited', async () => {
  const email = anEmail();
  const group = await aGroupId();
  const wrong: [body: unknown, message: RegExp][] = [
    [{}, /email/],
    [{ groups: [] }, /email/],
    ...['', 'ada', '@example.com', 'ada@', 'a b@example.com', `${'a'.repeat(255)}@example.com`, 7, null].map(
      (address): [unknown, RegExp] => [{ email: address }, /^email /],
    ),
    [{ email, groups: [group, 'no-such-group'] }, /no-such-group/],
    [{ email, groups: references(['no-such-group']) }, /no-such-group/],
    [{ email, groups: [{ type: 'group' }] }, /groups\/0/],
    [{ email, groups: [7] }, /groups\/0/],
    [{ email, groups: group }, /^groups /],
  ];
  const actions = await api.recorded(async () => {
    for (const [body, message] of wrong) refused(await api.post('/users', body), 400, message);
  });
  assert.deepEqual(actions, []);
  assert.deepEqual(await outboxOf(email), []);
  assert.equal((await api.post('/users', { email })).status, 200, 'the address is still free');
});

test('an address is invited once, compared without case', async () => {
  const email = anEmail();
  await api.post('/users', { email });
  const actions = await api.recorded(async () => {
    for (const other of [email, email.toUpperCase()]) {
      refused(await api.post('/users', { email: other }), 409, `User ${other} already exists`);
    }
  });
  assert.deepEqual(actions, []);
  assert.equal((await outboxOf(email)).length, 1);
  assert.deepEqual(await outboxOf(email.toUpperCase()), []);
});

test('the mail waits in the outbox with the commit; its token opens the invitation and is stored nowhere else', async () => {
  const email = anEmail();
  const { body: user } = await api.post('/users', { email });
  const [mail, ...others] = await outboxOf(email);
  assert.ok(mail);
  assert.deepEqual(others, []);
  const { token, expiresAt } = mail.payload;
  const invitation = await api.store.one(sql`select * from invitations where user_id = ${user.id}`);
  assert.deepEqual(
    { ...(invitation as object) },
    { user_id: user.id, token_hash: hashOf(token), expires_at: expiresAt, invited_by: null },
  );
  assert.ok(!JSON.stringify([user, await api.lastChange(), api.log]).includes(token));
});

test('each invitation link is logged once, after the commit, even if an earlier process did not log it', async () => {
  const told: string[] = [];
  const log = pino({}, { write: (line) => void told.push(JSON.parse(line).link) });
  const linkOf = async (email: string) => `https://flags.test/invitations/${(await outboxOf(email))[0]?.payload.token}`;
  const untilTold = async (link: string) => {
    while (!told.includes(link)) await setImmediate();
  };
  const [earlier, later] = [anEmail(), anEmail()];
  await api.post('/users', { email: earlier });
  const onWake = () => announceLinks(api.store, log, 'https://flags.test');
  const teller = { store: api.store, log, handlers: {}, onWake };
  const first = startOutbox(teller);
  await untilTold(await linkOf(earlier));
  await api.post('/users', { email: later });
  await untilTold(await linkOf(later));
  await first.stop();
  const count = told.length;
  await startOutbox(teller).stop();
  assert.equal(told.length, count, 'a second process has nothing left to tell');
  assert.equal(new Set(told).size, count, 'each is told of once');
});

test('deleting a PENDING user removes it, its invitation and its mail, and frees the address', async () => {
  const email = anEmail();
  const { body: user } = await api.post('/users', { email, groups: [administratorsId] });
  const actions = await api.recorded(async () => {
    const answer = await api.delete(`/users/${user.id}`);
    assert.deepEqual([answer.status, answer.text], [200, 'true']);
  });
  assert.deepEqual(actions, ['user.deleted']);
  refused(await api.get(`/users/${user.id}`), 404, `Could not find user ${user.id}`);
  refused(await api.delete(`/users/${user.id}`), 404, `Could not find user ${user.id}`);
  assert.deepEqual(await outboxOf(email), []);
  assert.equal(await api.store.one(sql`select * from invitations where user_id = ${user.id}`), undefined);
  assert.equal((await api.post('/users', { email })).status, 200);
});

test('neither ACTIVE nor DEACTIVATED users can be deleted', async () => {
  for (const [status, message] of [
    ['ACTIVE', 'Active users cannot be deleted from your org. You can use a PUT request to deactivate the user'],
    ['DEACTIVATED', 'Deactivated users cannot be deleted from your org'],
  ] as const) {
    const user = await aUser(status);
    await unchanged(user, async () => refused(await api.delete(`/users/${user.id}`), 400, message));
  }
});

test('a full update names every field that is missing or wrong', async () => {
  const user = await aUser('ACTIVE');
  const body = fullUpdate(user);
  await unchanged(user, async () => {
    for (const field of Object.keys(body)) {
      const { [field as 'name']: _, ...rest } = body;
      const hint = 'To send only some fields, use PATCH, or set ACCEPT_PARTIAL_PUT=true on the server';
      refused(await api.put(`/users/${user.id}`, rest), 400, `${field} is required. ${hint}`);
    }
    for (const [field, values] of Object.entries({
      email: ['', 'nobody', 7, null],
      name: ['', '  ', 'n'.repeat(256), 7, null],
      status: ['', 'active', 'GONE', null],
      '2fa': ['yes', 1, null],
      type: ['group', '', null],
    })) {
      for (const value of values) {
        refused(await api.put(`/users/${user.id}`, { ...body, [field]: value }), 400, new RegExp(`^${field} `));
      }
    }
    const nothing = await api.put(`/users/${user.id}`, {});
    refused(nothing, 400, /^email is required\. .*PATCH.*ACCEPT_PARTIAL_PUT=true/);
    for (const field of Object.keys(body)) assert.match(nothing.body.details, new RegExp(`^${field} is required`, 'm'));
  });
});

test('a full update replaces email, name and status, ignores what else is sent and keeps the groups', async () => {
  const group = await aGroupId();
  const user = await aUser('ACTIVE', { groupIds: [group], twoFactor: true });
  const sent = { email: anEmail(), name: 'Grace', status: 'DEACTIVATED', '2fa': false, type: 'user' };
  const actions = await api.recorded(async () => {
    const answer = await api.put(`/users/${user.id}`, { ...sent, id: 'other', groups: [], nonsense: 1 });
    assert.deepEqual([answer.status, answer.body], [200, { ...sent, id: user.id, groups: references([group]) }]);
  });
  assert.deepEqual(actions, ['user.replaced']);
  const { before, after } = (await api.lastChange()) as { before: object; after: object };
  assert.deepEqual(before, { ...fullUpdate(user), id: user.id, groups: references([group]) });
  assert.deepEqual(after, { ...sent, id: user.id, groups: references([group]) });
});

test('the email of a user is unique without case, also in updates', async () => {
  const [user, other] = [await aUser('ACTIVE'), await aUser('ACTIVE')];
  const email = other.email.toUpperCase();
  await unchanged(user, async () => {
    const message = `User ${email} already exists`;
    refused(await api.put(`/users/${user.id}`, { ...fullUpdate(user), email }), 409, message);
    refused(await api.patch(`/users/${user.id}`, [replace('/email', email)]), 409, message);
  });
});

test('a status changes only between ACTIVE and DEACTIVATED', async () => {
  const statuses = ['PENDING', 'ACTIVE', 'DEACTIVATED'] as const;
  const allowed = ['ACTIVE DEACTIVATED', 'DEACTIVATED ACTIVE', ...statuses.map((status) => `${status} ${status}`)];
  for (const from of statuses) {
    for (const to of statuses) {
      const user = await aUser(from);
      const viaPut = () => api.put(`/users/${user.id}`, { ...fullUpdate(user), status: to });
      const viaPatch = () => api.patch(`/users/${user.id}`, [replace('/status', to)]);
      for (const change of [viaPut, viaPatch]) {
        if (allowed.includes(`${from} ${to}`)) assert.equal((await change()).body.status, to);
        else {
          const message = `The status of a user cannot change from ${from} to ${to}`;
          await unchanged(user, async () => refused(await change(), 400, message));
        }
      }
    }
  }
});

test('the second factor is switched off but never on', async () => {
  const message = 'Two-factor authentication cannot be enabled through the API';
  const [on, off] = [await aUser('ACTIVE', { twoFactor: true }), await aUser('ACTIVE')];
  assert.equal((await api.put(`/users/${on.id}`, fullUpdate(on))).body['2fa'], true, 'kept where it is on');
  assert.equal((await api.put(`/users/${on.id}`, { ...fullUpdate(on), '2fa': false })).body['2fa'], false);
  for (const user of [on, off]) {
    await unchanged(user, async () => {
      refused(await api.put(`/users/${user.id}`, { ...fullUpdate(user), '2fa': true }), 400, message);
      for (const value of [true, 'true']) {
        refused(await api.patch(`/users/${user.id}`, [replace('/2fa', value)]), 400, message);
      }
    });
  }
});

test('the email of a PENDING user does not change, its name does', async () => {
  const user = await aUser('PENDING');
  await unchanged(user, async () => {
    const email = anEmail();
    refused(await api.put(`/users/${user.id}`, { ...fullUpdate(user), email }), 400, /PENDING/);
    refused(await api.patch(`/users/${user.id}`, [replace('/email', email)]), 400, /PENDING/);
  });
  assert.equal((await api.put(`/users/${user.id}`, { ...fullUpdate(user), name: 'Other' })).body.name, 'Other');
});

test('a patch changes fields by the rules of a full update', async () => {
  const user = await aUser('ACTIVE', { twoFactor: true });
  const email = anEmail();
  const actions = await api.recorded(async () => {
    const { status, body } = await api.patch(`/users/${user.id}`, [
      check('/name', user.name),
      replace('/name', 'Grace'),
      add('/email', email),
      replace('/status', 'DEACTIVATED'),
      replace('/2fa', 'false'),
    ]);
    const expected = { id: user.id, type: 'user', name: 'Grace', email, status: 'DEACTIVATED', '2fa': false };
    assert.deepEqual([status, body], [200, expected]);
  });
  assert.deepEqual(actions, ['user.patched']);
});

test('groups are patched in every form that clients use', async () => {
  const [a, b, c] = [await aGroupId(), await aGroupId(), await aGroupId()];
  const group = (id: string) => ({ id, type: 'group' });
  const forms: [operations: object[], groups: string[]][] = [
    [[], [a, b]],
    [[add('/groups/0', group(c))], [a, b, c]],
    [[add('/groups/2', group(c))], [a, b, c]],
    [[add('/groups/99', group(c))], [a, b, c]],
    [[add('/groups/-', group(c))], [a, b, c]],
    [[add('/groups/-', c)], [a, b, c]],
    [[add('/groups/0', group(b))], [a, b]],
    [
      [add('/groups/-', group(c)), add('/groups/-', group(c))],
      [a, b, c],
    ],
    [[replace('/groups/0', group(c))], [b, c]],
    [[replace('/groups/1', group(a))], [a]],
    [[replace('/groups', [group(c), group(a), group(c)])], [a, c]],
    [[replace('/groups', [])], []],
    [[remove('/groups/0')], [b]],
    [[remove('/groups/1')], [a]],
    [[remove(`/groups/${b}`)], [a]],
    [[remove('/groups/0'), remove('/groups/0')], []],
    [[check('/groups/1/id', b), remove('/groups/1')], [a]],
    [[remove('/groups/0', group(b))], [a]],
    [[remove('/groups/7', { id: a })], [b]],
    [
      [remove('/groups/0'), add('/groups/0', group(a))],
      [a, b],
    ],
  ];
  for (const [operations, groups] of forms) {
    const user = await aUser('ACTIVE', { groupIds: [a, b] });
    const label = JSON.stringify(operations);
    const actions = await api.recorded(async () => {
      const { status, body } = await api.patch(`/users/${user.id}`, operations);
      assert.equal(status, 200, label);
      const found: { id: string }[] | undefined = body.groups;
      assert.deepEqual(found?.map(({ id }) => id).sort() ?? [], groups.sort(), label);
      assert.equal(found === undefined, groups.length === 0, 'left out when empty');
      assert.deepEqual((await api.get(`/users/${user.id}`)).body, body);
    });
    assert.deepEqual(actions, isDeepStrictEqual(groups, [a, b].sort()) ? [] : ['user.patched'], label);
  }
});

test('one bad operation and nothing of the patch is done', async () => {
  const [a, b, c] = [await aGroupId(), await aGroupId(), await aGroupId()];
  const user = await aUser('ACTIVE', { groupIds: [a, b], twoFactor: true });
  const bad: object[] = [
    ...[add('/groups/0', { id: 'no-such-group' }), add('/groups/0', {}), add('/groups/0'), add('/groups/x', c)],
    ...[replace('/groups/2', c), replace('/groups', 'all'), replace('/groups', [c, 7])],
    ...[remove('/groups/2'), remove('/groups/-'), remove(`/groups/${c}`), remove('/groups/0', { id: c })],
    ...[check('/groups/0/id', b), check('/groups/9/id', b), check('/name', 'nobody')],
    { op: 'move', from: '/groups/0', path: '/groups/1' },
    { op: 'copy', from: '/groups/0', path: '/groups/-' },
    ...[remove('/name'), replace('/name', ' '), replace('/name'), replace('/email', 'nobody')],
    ...[replace('/status', 'GONE'), replace('/2fa', 'maybe'), replace('/2fa', 0)],
    ...[replace('/id', 'other'), replace('/type', 'group'), add('/nonsense', 1), replace('', {}), replace('name', 'x')],
    ...[{ op: 'delete', path: '/groups/0' }, { path: '/groups/0' }, { op: 'remove' }],
  ];
  await unchanged(user, async () => {
    for (const operation of bad) {
      const answer = await api.patch(`/users/${user.id}`, [replace('/name', 'Grace'), operation]);
      assert.equal(answer.status, 400, `${JSON.stringify(operation)} → ${answer.text}`);
    }
    for (const body of [remove('/groups/0'), 'patch', null, [null]]) {
      assert.equal((await api.patch(`/users/${user.id}`, body)).status, 400);
    }
  });
});

test('the last active administrator can be neither deactivated nor taken from the group', async () => {
  const message = 'The last active administrator cannot be deactivated or removed';
  const last = await aUser('ACTIVE', { groupIds: [administratorsId] });
  await aUser('PENDING', { groupIds: [administratorsId] });
  await aUser('DEACTIVATED', { groupIds: [administratorsId] });
  const ways = (user: User) => [
    () => api.put(`/users/${user.id}`, { ...fullUpdate(user), status: 'DEACTIVATED' }),
    () => api.patch(`/users/${user.id}`, [replace('/status', 'DEACTIVATED')]),
    () => api.patch(`/users/${user.id}`, [remove('/groups/0')]),
    () => api.patch(`/users/${user.id}`, [replace('/groups', [])]),
  ];
  await unchanged(last, async () => {
    for (const way of ways(last)) refused(await way(), 400, message);
  });
  const second = await aUser('ACTIVE', { groupIds: [administratorsId] });
  const race = await Promise.all([last, second].map((user) => ways(user)[0]?.()));
  assert.deepEqual(race.map((answer) => answer?.status).sort(), [200, 400], 'of two at once one stays');
});

test('a user who does not exist is 404 for every method', async () => {
  const path = '/users/no-such-user';
  const body = fullUpdate({ ...(await aUser('PENDING')), email: anEmail() });
  for (const answer of [
    await api.get(path),
    await api.put(path, body),
    await api.patch(path, [replace('/name', 'x')]),
    await api.delete(path),
  ]) {
    refused(answer, 404, 'Could not find user no-such-user');
  }
});

test('a restricted key sees only users who have access to its project, and writes none', async () => {
  const project = await aProject(api);
  const group = await aGroupId();
  const [listed, member, stranger] = [
    await aUser('ACTIVE'),
    await aUser('ACTIVE', { groupIds: [group] }),
    await aUser('ACTIVE'),
  ];
  const people = [listed, member, stranger];
  const scope = { projectId: project.id, environmentIds: [project.staging.id] };
  const keys = [
    await api.key({ scope: { kind: 'project', projectId: project.id } }),
    await api.key({ scope: { kind: 'environment', ...scope }, roles: ['API_ADMIN'] }),
  ];
  const seen = async (as: string) => {
    const { body } = await api.get('/users?limit=200', { as });
    return people.map((person) => body.data.some((user: { id: string }) => user.id === person.id));
  };
  const restrict = (view: boolean, viewers: object[]) =>
    api.put('/restrictions', {
      resource: { id: project.id, type: 'workspace' },
      operations: { view },
      resourcePermissions: { view: viewers },
    });
  for (const as of keys) assert.deepEqual(await seen(as), [true, true, true], 'a project is open to everybody');
  await restrict(true, [...references([administratorsId, group]), { id: listed.id, type: 'user' }]);
  for (const as of keys) {
    assert.deepEqual(await seen(as), [true, true, false]);
    assert.equal((await api.get('/users?limit=1', { as })).body.count, 1, 'filtered before paging');
    assert.equal((await api.get(`/users/${member.id}`, { as })).status, 200);
    refused(await api.get(`/users/${stranger.id}`, { as }), 404, `Could not find user ${stranger.id}`);
    await unchanged(listed, async () => {
      for (const answer of [
        await api.post('/users', { email: anEmail() }, { as }),
        await api.put(`/users/${listed.id}`, fullUpdate(listed), { as }),
        await api.patch(`/users/${listed.id}`, [], { as }),
        await api.delete(`/users/${listed.id}`, { as }),
      ]) {
        refused(answer, 403, 'Role is insufficient');
      }
    });
  }
  await restrict(false, []);
  for (const as of keys) assert.deepEqual(await seen(as), [true, true, true], 'opened again');
});
