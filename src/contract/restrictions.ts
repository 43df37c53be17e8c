import { Type } from 'typebox';
import { Restriction, RestrictionUpdate } from '#domain/restrictions.ts';
import { ProjectAccess, ProjectAccessUpdate } from '#domain/rights.ts';
import { extend, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { OffsetListing, OffsetPage, ProjectNameOrId } from './parts.ts';

const access = { needs: 'restriction.write', scope: 'project' } as const;

const pageSize = { default: 20, max: 200 };

export const listRestrictions = endpoint({
  method: 'GET',
  path: '/restrictions',
  summary: 'Get who can view and edit a project',
  description: 'The project is `resource_id`.',
  access,
  pageSize,
  query: extend(
    OffsetPage(pageSize),
    Type.Object({
      resource_type: OneOf(['workspace'], { description: '`workspace`, the only type of resource.' }),
      resource_id: ProjectNameOrId,
    }),
  ),
  reply: OffsetListing(Restriction),
  problems: ['project_not_found'],
});

export const replaceRestriction = endpoint({
  method: 'PUT',
  path: '/restrictions',
  summary: 'Set who can view and edit a project',
  description:
    'Everyone, or only the users, groups and API keys listed. `edit` is Burgee’s own: if it is left out, it does not change.',
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
  summary: 'Get project access',
  description:
    'The lists of people, groups and API keys that can view and edit the project, edit definitions in each environment, and kill and restore there.',
  access: { needs: 'project.read', scope: 'project' },
  problems: [],
});

export const changeProjectAccess = endpoint({
  ...projectAccess,
  method: 'PUT',
  summary: 'Change project access',
  description:
    'Project and environments in one change. Lists that the body leaves out do not change; unknown members are refused.',
  access,
  body: ProjectAccessUpdate,
  problems: ['restriction_invalid', 'precondition_failed', 'environment_not_found'],
});
