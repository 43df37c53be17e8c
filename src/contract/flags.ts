import { type TSchema, type TString, Type } from 'typebox';
import { ExpandedFlag, ListedFlag } from '#domain/definitions/summary.ts';
import { DriftingFlag, DriftSummary, driftKinds, driftSorts } from '#domain/drift.ts';
import { FlagFacets, flagSorts, statePattern, trafficPattern } from '#domain/flag-list.ts';
import { Dependent, Flag, FlagCopy, NewFlag } from '#domain/flags.ts';
import { Patch } from '#domain/json-patch.ts';
import { extend, Id, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { Archived, NoteQuery, OffsetListing, OffsetPage, True } from './parts.ts';

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

const several = <Item extends TSchema = TString>(
  description: string,
  item: Item = Type.String({ maxLength: 255 }) as unknown as Item,
) => Type.Optional(Type.Array(item, { maxItems: 50, description: `repeatable: ${description}` }));

const FlagFilter = Type.Object({
  tag: several('flags with any of these tags'),
  name: Type.Optional(Type.String({ maxLength: 255, description: 'flags whose name contains this, ignoring case' })),
  rolloutStatus: several('flags in any of these rollout statuses, by id'),
  search: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'flags whose name or description contains this, ignoring case. An addition to the vendor’s API.',
    }),
  ),
  trafficType: several('flags of any of these traffic types, by id. An addition to the vendor’s API.'),
  owner: several('flags that any of these users and groups own, by id. An addition to the vendor’s API.'),
  state: several(
    'flags in any of these states. `killed`, `defined` and `undefined` are about any environment, or about one: ' +
      '`killed:Production`, by name or id. `different`: rules, targets or treatments are not the same everywhere. ' +
      'An addition to the vendor’s API.',
    Type.String({ pattern: statePattern, maxLength: 300 }),
  ),
  traffic: several(
    'flags that SDKs `never` evaluated, or evaluated before but not in the last days: `quiet-7d`, `quiet-30d`. In any ' +
      'environment, or in one: `never:Production`, by name or id. An addition to the vendor’s API.',
    Type.String({ pattern: trafficPattern, maxLength: 300 }),
  ),
  id: several('only these flags. An addition to the vendor’s API.'),
  watched: Type.Optional(
    Type.Literal('true', {
      description: 'only flags that the caller watches; a key watches none. An addition to the vendor’s API.',
    }),
  ),
  archived: Archived('archived flags'),
});

export const listFlags = endpoint({
  method: 'GET',
  path: '/splits/ws/:project',
  summary: 'List flags',
  description:
    'In order of creation, unless `sort` says otherwise; without archived flags. Filters are combined with AND, the values ' +
    'of one with OR.',
  access: { needs: 'flag.read', scope: 'project' },
  pageSize,
  query: extend(
    extend(OffsetPage(pageSize), FlagFilter),
    Type.Object({
      sort: Type.Optional(
        OneOf(flagSorts, {
          description:
            'default `created`. `changed`: by the last change of the flag or of a definition in any environment. ' +
            '`since`: by when the rollout status was set. `share`: by the share of keys that get another treatment than the default one in production, without ' +
            'rules and targets. `traffic`: by the last evaluation in any environment, never evaluated ones as the ' +
            'oldest. An addition to the vendor’s API.',
        }),
      ),
      order: Type.Optional(OneOf(['asc', 'desc'], { description: 'default `asc`. An addition to the vendor’s API.' })),
      expand: expandable('environments', 'adds to each flag what it does in each environment, in short'),
    }),
  ),
  reply: OffsetListing(ListedFlag),
  changesWithTime: 'traffic',
  problems: ['too_many_large_responses'],
});

export const countFlags = endpoint({
  method: 'GET',
  path: '/flag-counts/ws/:project',
  summary: 'Count flags by filter value',
  description:
    'How many flags each value of each filter would show, given the other filters of the query. An addition to the ' +
    'vendor’s API.',
  access: { needs: 'flag.read', scope: 'project' },
  query: FlagFilter,
  reply: FlagFacets,
  showsHousekeeping: true,
  problems: [],
});

const driftPageSize = { default: 50, max: 200 };

export const listDrift = endpoint({
  method: 'GET',
  path: '/flag-drift/ws/:project',
  summary: 'List flags that differ between environments',
  description:
    'Compares all flags of the project, without archived ones, in a base environment and in others. An addition to the ' +
    'vendor’s API.',
  access: { needs: 'flag.read', scope: 'project' },
  pageSize: driftPageSize,
  query: extend(
    OffsetPage(driftPageSize),
    Type.Object({
      base: Type.Optional(
        Type.String({
          maxLength: 255,
          description: 'id or name of an environment; default: the first production environment, or else the last one',
        }),
      ),
      environment: several('the environments to compare with the base, by id or name; default: all others'),
      kind: several('flags that differ in any of these', OneOf(driftKinds)),
      name: Type.Optional(
        Type.String({ maxLength: 255, description: 'flags whose name contains this, ignoring case' }),
      ),
      sort: Type.Optional(
        OneOf(driftSorts, {
          description:
            'default `severity`: killed in only one environment, defined in only one, then by `share`. `changed`: the ' +
            'last changed first.',
        }),
      ),
    }),
  ),
  reply: extend(OffsetListing(DriftingFlag), DriftSummary),
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
    'JSON Patch on `/description`, `/tags`, `/tags/<n>`, `/tags/-`, `/rolloutStatus`, `/rolloutStatus/id` and, in ' +
    'addition to the vendor’s API, `/owners`, `/owners/<n>` and `/owners/-`. If the project lets owners edit their ' +
    'flags, changing them needs the right to edit definitions in every environment.',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  body: Patch,
  reply: Flag,
  versioned: true,
  problems: ['flag_archived', 'patch_invalid', 'flag_invalid', 'note_required', 'precondition_failed'],
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
  problems: ['flag_archived', 'flag_invalid', 'precondition_failed'],
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
  problems: ['flag_archived', 'flag_invalid', 'object_type_unknown', 'precondition_failed'],
});

export const deleteFlag = endpoint({
  method: 'DELETE',
  path: '/splits/ws/:project/:flag',
  summary: 'Delete a flag',
  description:
    'Also deletes all its definitions. Archiving keeps them; a deleted flag can be restored from the audit log.',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  reply: True,
  versioned: true,
  problems: ['approvals_required', 'note_required', 'precondition_failed'],
});

export const duplicateFlag = endpoint({
  method: 'POST',
  path: '/splits/ws/:project/:flag/duplicate',
  summary: 'Duplicate a flag',
  description:
    'Creates a flag with the description, the traffic type, the rollout status, the tags and the definitions of another, ' +
    'all or nothing. A definition that is killed is killed in the copy. Needs the right to edit flags in the project, ' +
    'and definitions in each of the environments. An addition to the vendor’s API.',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  body: FlagCopy,
  reply: Flag,
  versioned: true,
  problems: [
    'flag_invalid',
    'flag_name_taken',
    'approvals_required',
    'definition_invalid',
    'note_required',
    'precondition_failed',
  ],
});

/** Archiving, and the way back. */
const archiving = {
  method: 'POST',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  body: NoteQuery,
  bodyIsOptional: true,
  reply: Flag,
  versioned: true,
  problems: ['approvals_required', 'note_required', 'precondition_failed'],
} as const;

export const archiveFlag = endpoint({
  ...archiving,
  path: '/splits/ws/:project/:flag/archive',
  summary: 'Archive a flag',
  description:
    'Everyone gets `control`, SDKs no longer receive the flag, and lists leave it out. Its name stays reserved, and its ' +
    'definitions stay stored with their seeds. It cannot be changed until it is unarchived; it can be deleted. ' +
    'Needs the right to edit each of its definitions.',
});

export const unarchiveFlag = endpoint({
  ...archiving,
  path: '/splits/ws/:project/:flag/unarchive',
  summary: 'Unarchive a flag',
  description: 'Its definitions apply again, with the same seeds: every key gets what it got before.',
});

export const undeleteFlag = endpoint({
  method: 'POST',
  path: '/splits/ws/:project/deleted/:deletedFlag/restore',
  summary: 'Restore a deleted flag',
  description:
    'By its id, from the audit log: the flag and its definitions as they were when it was deleted, with their seeds, in ' +
    'environments that still exist. Flag sets that were deleted meanwhile are left out. An addition to the vendor’s API.',
  access: { needs: 'flag.write', scope: 'project' },
  query: NoteQuery,
  body: NoteQuery,
  bodyIsOptional: true,
  reply: Flag,
  versioned: true,
  problems: [
    'deleted_flag_not_found',
    'flag_name_taken',
    'traffic_type_not_found',
    'approvals_required',
    'definition_invalid',
    'note_required',
    'precondition_failed',
  ],
});
