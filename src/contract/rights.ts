/** What people can do, and why. */
import { Type } from 'typebox';
import { ExplainedRights } from '#domain/explained-rights.ts';
import { GrantedRight, granteeTypes } from '#domain/rights.ts';
import { extend, Id, OneOf, Reference } from '#domain/schema.ts';
import { UserStatus } from '#domain/users.ts';
import { endpoint } from './endpoint.ts';
import { OffsetListing, OffsetPage, ProjectNameOrId } from './parts.ts';

const pageSize = { default: 20, max: 50 };

export const explainAccess = endpoint({
  method: 'GET',
  path: '/access',
  summary: 'Explain what a person can do',
  description:
    'In each project that the caller sees: whether the person can view and edit it, and edit definitions or kill and restore in its environments, each with the reason. People can ask about themselves; administrators, and keys that can change project access, about everyone.',
  access: { needs: 'user.read', scope: 'project' },
  pageSize,
  query: extend(
    OffsetPage(pageSize),
    Type.Object({
      user: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'Id of the user; the caller if left out.' })),
      project: Type.Optional(ProjectNameOrId),
    }),
  ),
  reply: extend(
    OffsetListing(ExplainedRights),
    Type.Object({
      user: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String(), status: UserStatus }),
      administrator: Type.Boolean(),
      groups: Type.Array(Reference),
      ask: Type.String({ description: 'Who can grant what is missing, as refusals say it.' }),
    }),
  ),
  problems: ['user_not_found', 'project_not_found'],
});

export const listGrantedRights = endpoint({
  method: 'GET',
  path: '/access/lists',
  summary: 'List where someone is listed',
  description:
    'The access lists that give rights to a user, a group or an API key, in the projects that the caller sees: what deleting it takes away.',
  access: { needs: 'project.read', scope: 'project' },
  pageSize,
  query: extend(
    OffsetPage(pageSize),
    Type.Object({
      type: OneOf(granteeTypes, { description: 'What the id is of.' }),
      id: Type.Unsafe<string>({ ...Id, description: 'Id of the user, group or API key.' }),
    }),
  ),
  reply: OffsetListing(GrantedRight),
  problems: [],
});
