import { Group, GroupUpdate, NewGroup } from '#domain/groups.ts';
import { endpoint } from './endpoint.ts';
import { OffsetListing, OffsetPage, True } from './parts.ts';

const read = { needs: 'group.read', scope: 'environment' } as const;
const write = { needs: 'group.write', scope: 'account' } as const;

const pageSize = { default: 50, max: 200 };

export const listGroups = endpoint({
  method: 'GET',
  path: '/groups',
  summary: 'List groups',
  description: 'In order of creation.',
  access: read,
  pageSize,
  query: OffsetPage(pageSize),
  reply: OffsetListing(Group),
  problems: [],
});

export const getGroup = endpoint({
  method: 'GET',
  path: '/groups/:group',
  summary: 'Get a group',
  access: read,
  reply: Group,
  problems: ['group_not_found'],
});

export const createGroup = endpoint({
  method: 'POST',
  path: '/groups',
  summary: 'Create a group',
  access: write,
  body: NewGroup,
  reply: Group,
  problems: ['group_name_taken'],
});

export const replaceGroup = endpoint({
  method: 'PUT',
  path: '/groups/:group',
  summary: 'Replace a group',
  description: 'A missing `name` or `description` is kept.',
  access: write,
  body: GroupUpdate,
  reply: Group,
  problems: ['group_not_found', 'group_invalid', 'group_name_taken', 'group_protected'],
});

export const deleteGroup = endpoint({
  method: 'DELETE',
  path: '/groups/:group',
  summary: 'Delete a group',
  description: 'Also removes its memberships, and it from the owners of flags.',
  access: write,
  reply: True,
  problems: ['group_not_found', 'group_protected', 'owner_of_many_flags'],
});
