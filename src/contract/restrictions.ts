import { Type } from 'typebox';
import { Restriction, RestrictionUpdate } from '#domain/restrictions.ts';
import { ProjectAccess, ProjectAccessUpdate } from '#domain/rights.ts';
import { extend, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { OffsetListing, OffsetPage, ProjectWord } from './parts.ts';

const access = { needs: 'restriction.write', scope: 'project' } as const;

const pageSize = { default: 20, max: 200 };

export const listRestrictions = endpoint({
  method: 'GET',
  path: '/restrictions',
  summary: 'Read who may see and edit a project',
  description: 'The project is `resource_id`.',
  access,
  pageSize,
  query: extend(
    OffsetPage(pageSize),
    Type.Object({
      resource_type: OneOf(['workspace'], { description: '`workspace`, the only type of resource.' }),
      resource_id: ProjectWord,
    }),
  ),
  reply: OffsetListing(Restriction),
  problems: ['project_not_found'],
});

export const replaceRestriction = endpoint({
  method: 'PUT',
  path: '/restrictions',
  summary: 'Set who may see and edit a project',
  description:
    'Everybody, or only the users, groups and API keys listed. `edit` is an operation of Burgee: left out, it stays as it is.',
  access,
  body: RestrictionUpdate,
  reply: Restriction,
  problems: ['project_not_found', 'restriction_invalid'],
});

const projectAccess = {
  path: '/workspaces/:project/access',
  reply: ProjectAccess,
  versioned: true,
} as const;

export const getProjectAccess = endpoint({
  ...projectAccess,
  method: 'GET',
  summary: 'Read who may do what in a project',
  description:
    'Who may view and edit it, and for each environment who may edit definitions and who besides them may kill and restore.',
  access: { needs: 'project.read', scope: 'project' },
  problems: [],
});

export const changeProjectAccess = endpoint({
  ...projectAccess,
  method: 'PUT',
  summary: 'Set who may do what in a project',
  description: 'Project and environments in one change. What the body leaves out stays as it is.',
  access,
  body: ProjectAccessUpdate,
  problems: ['restriction_invalid', 'precondition_failed', 'environment_not_found'],
});
