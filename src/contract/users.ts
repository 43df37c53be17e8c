import { Type } from 'typebox';
import { Patch } from '#domain/json-patch.ts';
import { extend, OneOf } from '#domain/schema.ts';
import { Invitation, User, UserUpdate, userStatuses } from '#domain/users.ts';
import { endpoint } from './endpoint.ts';
import { MarkerListing, MarkerPage, True } from './parts.ts';

const write = { needs: 'user.write', scope: 'account' } as const;

export const inviteUser = endpoint({
  method: 'POST',
  path: '/users',
  summary: 'Invite a user',
  description: 'Queues an invitation mail.',
  access: write,
  body: Invitation,
  reply: User,
  problems: ['user_invalid', 'user_email_taken', 'administrator_protected'],
});

const pageSize = { default: 20, max: 200 };

export const listUsers = endpoint({
  method: 'GET',
  path: '/users',
  summary: 'List users',
  description: 'Users with access to something in the caller’s scope, in order of invitation.',
  access: { needs: 'user.read', scope: 'environment' },
  pageSize,
  query: extend(
    MarkerPage(pageSize),
    Type.Object({
      status: Type.Optional(OneOf(userStatuses, { description: 'Users with this status. Default: all three.' })),
      group_id: Type.Optional(Type.String({ maxLength: 255, description: 'Id of a group: only its members.' })),
    }),
  ),
  reply: MarkerListing(User),
  problems: ['marker_invalid'],
});

export const getUser = endpoint({
  method: 'GET',
  path: '/users/:user',
  summary: 'Read a user',
  access: { needs: 'user.read', scope: 'environment' },
  reply: User,
  problems: ['user_not_found'],
});

const rules = [
  'user_not_found',
  'user_invalid',
  'user_email_taken',
  'status_change_refused',
  'two_factor_not_enabled_here',
  'pending_email_fixed',
  'last_administrator',
  'administrator_protected',
] as const;

export const replaceUser = endpoint({
  method: 'PUT',
  path: '/users/:user',
  summary: 'Replace a user',
  description:
    'All of `email`, `name`, `status`, `2fa` and `type` are required, unless the server runs with ' +
    '`ACCEPT_PARTIAL_PUT=true`: then absent members are kept, and `PUT /users` takes the `id` in the body.',
  access: write,
  looseBody: UserUpdate,
  reply: User,
  problems: rules,
});

export const patchUser = endpoint({
  method: 'PATCH',
  path: '/users/:user',
  summary: 'Change a user',
  description: 'JSON Patch on `/groups`, `/name`, `/email`, `/status` and `/2fa`.',
  access: write,
  body: Patch,
  reply: User,
  problems: ['patch_invalid', ...rules],
});

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/users/:user',
  summary: 'Delete a pending user',
  description: 'The invitation is dead from then on.',
  access: write,
  reply: True,
  problems: [
    'user_not_found',
    'active_user_not_deletable',
    'deactivated_user_not_deletable',
    'administrator_protected',
    'owner_of_many_flags',
  ],
});
