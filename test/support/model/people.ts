/** Users by invitation, and their groups. */
import fc from 'fast-check';
import { unlist } from './keys.ts';
import { byId, missing, names, ok, page, refusal, rule } from './step.ts';
import type { Group, User, World } from './world.ts';

export const emailOf = (u: string) => `${u}@example.com`;

const shownGroup = ({ mark, name, description }: Group) => ({ id: mark, name, description, type: 'group' });
const shownUser = ({ mark, name, email, status, groups }: User) => ({
  id: mark,
  type: 'user',
  name,
  email,
  status,
  '2fa': false,
  ...(groups.length === 0 ? {} : { groups: groups.map((id) => ({ id, type: 'group' })) }),
});
const ofGroup = (action: string, { mark, name }: Group) => ({
  action: `group.${action}`,
  object: { type: 'group', id: mark, name },
});
const ofUser = (action: string, { mark, email }: User) => ({
  action: `user.${action}`,
  object: { type: 'user', id: mark, name: email },
});

const noGroup = (word: string) => refusal(400, `groups: there is no group with the id ${word}; GET /groups lists them`);
const isProtected = ({ mark }: Group) => mark === '@administrators';
const protectedGroup = refusal(400, 'The Administrators group cannot be renamed or deleted');

const isAdministrator = ({ status, groups }: Pick<User, 'status' | 'groups'>) =>
  status === 'ACTIVE' && groups.includes('@administrators');
/** Someone must remain who can let others in. */
const endsTheLast = (world: World, user: User, after: Partial<User>) =>
  isAdministrator(user) && !isAdministrator({ ...user, ...after }) && world.users.filter(isAdministrator).length === 1;
const lastAdministrator = refusal(400, 'The last active administrator cannot be deactivated or removed');

const userChanges = fc.constantFrom('join', 'join', 'leave', 'rename', 'promote');

function operationOf(change: string, group: string): object {
  if (change === 'join') return { op: 'add', path: '/groups/-', value: { id: group, type: 'group' } };
  if (change === 'leave') return { op: 'remove', path: `/groups/${group}` };
  if (change === 'rename') return { op: 'replace', path: '/name', value: 'Somebody' };
  return { op: 'replace', path: '/2fa', value: true };
}

export const groupSteps = [
  rule('create a group', {
    params: fc.record({ g: names.g }),
    send: ({ g }) => ({ method: 'POST', path: '/groups', body: { name: g } }),
    apply: (world, { g }, _, tag) => {
      if (world.groups.some(({ name }) => name === g)) return refusal(409, `Group ${g} already exists`);
      const group = { mark: `@${tag}`, name: g, description: '' };
      world.groups.push(group);
      return ok(shownGroup(group), { entry: { ...ofGroup('created', group), after: shownGroup(group) } });
    },
  }),
  rule('replace a group', {
    params: fc.record({
      g: names.g,
      to: fc.constantFrom('g1', 'g2', 'g3'),
      description: fc.option(fc.constant('new'), { nil: undefined }),
    }),
    send: ({ to, description }, { aim }) => ({
      method: 'PUT',
      path: `/groups/${aim.g.word}`,
      body: { name: to, description },
    }),
    apply: (world, { to, description }, aim) => {
      const group = byId(world.groups, aim.g);
      if (!group) return missing('group', aim.g);
      if (isProtected(group)) return protectedGroup;
      if (world.groups.some(({ mark, name }) => name === to && mark !== group.mark)) {
        return refusal(409, `Group ${to} already exists`);
      }
      const before = shownGroup(group);
      group.name = to;
      group.description = description ?? group.description;
      return ok(shownGroup(group), { entry: { ...ofGroup('replaced', group), before, after: shownGroup(group) } });
    },
  }),
  rule('delete a group', {
    params: fc.record({ g: names.g }),
    send: (_, { aim }) => ({ method: 'DELETE', path: `/groups/${aim.g.word}` }),
    apply: (world, _, aim) => {
      const group = byId(world.groups, aim.g);
      if (!group) return missing('group', aim.g);
      if (isProtected(group)) return protectedGroup;
      const earlierEntries = unlist(world, group.mark);
      world.groups.splice(world.groups.indexOf(group), 1);
      const members = world.users.filter(({ groups }) => groups.includes(group.mark)).map(({ mark }) => mark);
      for (const user of world.users) user.groups = user.groups.filter((mark) => mark !== group.mark);
      const before = { ...shownGroup(group), members: { '@unordered': members } };
      return ok(true, { earlierEntries, entry: { ...ofGroup('deleted', group), before } });
    },
  }),
  rule('read a group', {
    params: fc.record({ g: names.g }),
    send: (_, { aim }) => ({ method: 'GET', path: `/groups/${aim.g.word}` }),
    apply: (world, _, aim) => {
      const group = byId(world.groups, aim.g);
      return group ? ok(shownGroup(group)) : missing('group', aim.g);
    },
  }),
  rule('list groups', {
    params: fc.record({}),
    send: () => ({ method: 'GET', path: '/groups' }),
    apply: (world) => ok(page(world.groups.map(shownGroup), 50)),
  }),
];

export const userSteps = [
  rule('invite a user', {
    params: fc.record({
      u: names.u,
      g: fc.oneof({ arbitrary: names.g, weight: 1 }, { arbitrary: fc.constant(''), weight: 1 }),
    }),
    send: ({ u, g }, { aim }) => ({
      method: 'POST',
      path: '/users',
      body: { email: emailOf(u), ...(g === '' ? {} : { groups: [aim.g.word] }) },
    }),
    apply: (world, { u, g }, aim, tag) => {
      const group = g === '' ? undefined : byId(world.groups, aim.g);
      if (g !== '' && !group) return noGroup(aim.g.word);
      const email = emailOf(u);
      if (world.users.some((user) => user.email === email)) return refusal(409, `User ${email} already exists`);
      const user: User = {
        mark: `@${tag}`,
        email,
        name: u,
        status: 'PENDING' as const,
        groups: group ? [group.mark] : [],
      };
      world.users.push(user);
      return ok({ groups: [], ...shownUser(user) }, { entry: { ...ofUser('invited', user), after: shownUser(user) } });
    },
  }),
  rule('change a user', {
    params: fc.record({ u: names.u, g: names.g, change: userChanges }),
    send: ({ change }, { aim }) => ({
      method: 'PATCH',
      path: `/users/${aim.u.word}`,
      body: [operationOf(change, aim.g.word)],
    }),
    apply: (world, { change }, aim) => {
      const user = byId(world.users, aim.u);
      if (!user) return missing('user', aim.u);
      const group = byId(world.groups, aim.g);
      const before = shownUser(user);
      if (change === 'promote') return refusal(400, 'Two-factor authentication cannot be enabled through the API');
      if (change === 'leave' && !user.groups.includes(group?.mark ?? '')) {
        return refusal(400, `0/path: the user is in no such group at /groups/${aim.g.word}`);
      }
      if (change === 'join' && !group) return noGroup(aim.g.word);
      const rest = user.groups.filter((mark) => mark !== group?.mark);
      if (change === 'leave' && endsTheLast(world, user, { groups: rest })) return lastAdministrator;
      if (change === 'rename') user.name = 'Somebody';
      if (change === 'join' && group) user.groups = [...new Set([...user.groups, group.mark])];
      if (change === 'leave') user.groups = rest;
      return ok(shownUser(user), { entry: { ...ofUser('patched', user), before, after: shownUser(user) } });
    },
  }),
  rule('replace a user', {
    params: fc.record({
      u: names.u,
      to: names.u,
      name: fc.constantFrom('Ann', 'Bob'),
      status: fc.constantFrom('PENDING', 'PENDING', 'ACTIVE', 'DEACTIVATED'),
    }),
    send: ({ to, name, status }, { aim }) => ({
      method: 'PUT',
      path: `/users/${aim.u.word}`,
      body: { email: emailOf(to), name, status, '2fa': false, type: 'user' },
    }),
    apply: (world, { to, name, status }, aim) => {
      const user = byId(world.users, aim.u);
      if (!user) return missing('user', aim.u);
      const isPending = user.status === 'PENDING';
      if (isPending !== (status === 'PENDING')) {
        return refusal(400, `The status of a user cannot change from ${user.status} to ${status}`);
      }
      const email = emailOf(to);
      if (isPending && email !== user.email) {
        const instead = 'delete the user and invite the other address';
        return refusal(400, `The email of a PENDING user cannot be changed; ${instead}`);
      }
      if (endsTheLast(world, user, { status })) return lastAdministrator;
      if (world.users.some((other) => other !== user && other.email === email)) {
        return refusal(409, `User ${email} already exists`);
      }
      const before = shownUser(user);
      Object.assign(user, { email, name, status });
      return ok(shownUser(user), { entry: { ...ofUser('replaced', user), before, after: shownUser(user) } });
    },
  }),
  rule('delete a user', {
    params: fc.record({ u: names.u }),
    send: (_, { aim }) => ({ method: 'DELETE', path: `/users/${aim.u.word}` }),
    apply: (world, _, aim) => {
      const user = byId(world.users, aim.u);
      if (!user) return missing('user', aim.u);
      if (user.status === 'DEACTIVATED') return refusal(400, 'Deactivated users cannot be deleted from your org');
      if (user.status === 'ACTIVE') {
        const instead = 'You can use a PUT request to deactivate the user';
        return refusal(400, `Active users cannot be deleted from your org. ${instead}`);
      }
      const earlierEntries = unlist(world, user.mark);
      world.users.splice(world.users.indexOf(user), 1);
      return ok(true, { earlierEntries, entry: { ...ofUser('deleted', user), before: shownUser(user) } });
    },
  }),
  rule('accept an invitation', {
    params: fc.record({ u: names.u }),
    // The link is in the mail.
    send: ({ u }) => ({
      method: 'POST',
      path: `/internal/account/invitations/{token of ${emailOf(u)}}`,
      body: { name: 'Ada', password: 'nine violet kites drift' },
    }),
    apply: (world, { u }) => {
      const user = world.users.find(({ email, status }) => email === emailOf(u) && status === 'PENDING');
      if (!user) return refusal(404, 'This invitation has expired or was already used; ask for a new one');
      const before = shownUser(user);
      Object.assign(user, { name: 'Ada', status: 'ACTIVE' });
      const editor = { type: 'user', id: user.mark, name: user.email };
      return ok('@any', { entry: { ...ofUser('accepted', user), editor, before, after: shownUser(user) } });
    },
  }),
  rule('read a user', {
    params: fc.record({ u: names.u }),
    send: (_, { aim }) => ({ method: 'GET', path: `/users/${aim.u.word}` }),
    apply: (world, _, aim) => {
      const user = byId(world.users, aim.u);
      return user ? ok(shownUser(user)) : missing('user', aim.u);
    },
  }),
  rule('list users', {
    params: fc.record({
      g: names.g,
      inGroup: fc.boolean(),
      status: fc.option(fc.constantFrom('PENDING', 'ACTIVE'), { nil: undefined }),
    }),
    send: ({ inGroup, status }, { aim }) => {
      const query = { ...(inGroup ? { group_id: aim.g.word } : {}), ...(status === undefined ? {} : { status }) };
      return { method: 'GET', path: `/users?${new URLSearchParams(query)}` };
    },
    apply: (world, { inGroup, status }, aim) => {
      const group = byId(world.groups, aim.g);
      const data = world.users
        .filter((user) => !inGroup || user.groups.includes(group?.mark ?? ''))
        .filter((user) => status === undefined || user.status === status)
        .map(shownUser);
      return ok({ data, nextMarker: null, previousMarker: null, limit: 20, count: data.length });
    },
  }),
];
