import { Type } from 'typebox';
import { ExpandedFlag, ListedFlag } from '#domain/definitions/summary.ts';
import { Dependent, Flag, NewFlag } from '#domain/flags.ts';
import { Patch } from '#domain/json-patch.ts';
import { extend, Id, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { NoteQuery, OffsetListing, OffsetPage, True } from './parts.ts';

const expandable = (what: string, description: string) => Type.Optional(OneOf([what], { description }));

export const createFlag = endpoint({
  method: 'POST',
  path: '/splits/ws/:project/trafficTypes/:trafficType',
  summary: 'Create a flag',
  description: 'The traffic type comes from the path; the rollout status is the project’s first.',
  access: { needs: 'flag.write', scope: 'project' },
  body: NewFlag,
  reply: Flag,
  versioned: true,
  problems: ['flag_invalid', 'flag_name_taken', 'precondition_failed'],
});

const pageSize = { default: 20, max: 50 };

export const listFlags = endpoint({
  method: 'GET',
  path: '/splits/ws/:project',
  summary: 'List flags',
  description: 'In order of creation. Filters are combined with AND.',
  access: { needs: 'flag.read', scope: 'project' },
  pageSize,
  query: extend(
    OffsetPage(pageSize),
    Type.Object({
      tag: Type.Optional(
        Type.Array(Type.String({ maxLength: 255 }), {
          maxItems: 50,
          description: 'repeatable: flags with any of these tags',
        }),
      ),
      name: Type.Optional(
        Type.String({ maxLength: 255, description: 'flags whose name contains this, ignoring case' }),
      ),
      rolloutStatus: Type.Optional(Type.String({ maxLength: 255, description: 'id of a rollout status' })),
      expand: expandable('environments', 'adds to each flag what it does in each environment, in short'),
    }),
  ),
  reply: OffsetListing(ListedFlag),
  problems: [],
});

export const getFlag = endpoint({
  method: 'GET',
  path: '/splits/ws/:project/:flag',
  summary: 'Get a flag',
  description: 'By name or id.',
  access: { needs: 'flag.read', scope: 'project' },
  query: Type.Object({
    expand: expandable('definitions', 'adds the flag’s definitions, whole, with their ETags and seeds'),
  }),
  reply: ExpandedFlag,
  versioned: true,
  problems: ['too_many_large_responses'],
});

const dependentsPageSize = { default: 20, max: 200 };

export const listDependents = endpoint({
  method: 'GET',
  path: '/splits/ws/:project/:flag/dependents',
  summary: 'List dependent flags',
  description:
    'Flags with a rule that depends on this flag (`IN_SPLIT`), once for each environment: by creation of the environment, then by name. An addition to the vendor’s API.',
  access: { needs: 'definition.read', scope: 'project' },
  pageSize: dependentsPageSize,
  query: extend(
    OffsetPage(dependentsPageSize),
    Type.Object({
      environmentId: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'Only in this environment.' })),
    }),
  ),
  reply: OffsetListing(Dependent),
  problems: [],
});

export const patchFlag = endpoint({
  method: 'PATCH',
  path: '/splits/ws/:project/:flag',
  summary: 'Change a flag',
  description:
    'JSON Patch on `/description`, `/tags`, `/tags/<n>`, `/tags/-`, `/rolloutStatus` and `/rolloutStatus/id`.',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  body: Patch,
  reply: Flag,
  versioned: true,
  problems: ['patch_invalid', 'flag_invalid', 'note_required', 'precondition_failed'],
});

export const updateFlagDescription = endpoint({
  method: 'PUT',
  path: '/splits/ws/:project/:flag/updateDescription',
  summary: 'Set the description of a flag',
  description:
    'The body is the text, as a JSON string or raw. Title and comment are never required, because clients cannot send them here.',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  textBody: true,
  reply: Flag,
  versioned: true,
  problems: ['flag_invalid', 'precondition_failed'],
});

export const associateTags = endpoint({
  method: 'POST',
  path: '/tags/ws/:project/object/:flag/objecttype/:objectType',
  summary: 'Set the tags of a flag',
  description:
    'The body lists all names that the flag should have; tags that it does not list are removed. The object type is ' +
    '`Split`.',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  body: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 }),
  reply: OffsetListing(Type.Object({ name: Type.String(), objectType: Type.String(), objectName: Type.String() })),
  problems: ['flag_invalid', 'object_type_unknown', 'precondition_failed'],
});

export const deleteFlag = endpoint({
  method: 'DELETE',
  path: '/splits/ws/:project/:flag',
  summary: 'Delete a flag',
  description: 'Also deletes all its definitions.',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  reply: True,
  versioned: true,
  problems: ['note_required', 'precondition_failed'],
});
