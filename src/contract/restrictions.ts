import { Type } from 'typebox';
import { Restriction, RestrictionUpdate } from '#domain/restrictions.ts';
import { extend, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { OffsetListing, OffsetPage, ProjectWord } from './parts.ts';

const access = { needs: 'restriction.write', scope: 'project' } as const;

const pageSize = { default: 20, max: 200 };

export const listRestrictions = endpoint({
  method: 'GET',
  path: '/restrictions',
  summary: 'Read who may see a project',
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
  summary: 'Set who may see a project',
  description: 'Everybody, or only the users, groups and API keys listed.',
  access,
  body: RestrictionUpdate,
  reply: Restriction,
  problems: ['project_not_found', 'restriction_invalid'],
});
