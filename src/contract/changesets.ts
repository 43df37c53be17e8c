import { Type } from 'typebox';
import { ChangesetPlan } from '#domain/changeset-plans.ts';
import { Changeset, ChangesetUpdate, changesetStates, NewChangeset } from '#domain/changesets.ts';
import { extend, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { keysBodyLimit, MarkerListing, MarkerPage, NoteQuery, ProjectWord } from './parts.ts';

const read = { needs: 'changeset.read', scope: 'environment' } as const;
const write = { needs: 'changeset.write', scope: 'environment' } as const;
const pageSize = { default: 20, max: 100 };

/** Problems of the objects that operations name. */
const places = [
  'project_not_found',
  'environment_not_found',
  'flag_not_found',
  'segment_not_found',
  'segment_not_active',
] as const;
/** Problems of the edits themselves. */
const edits = [
  'changeset_invalid',
  'definition_not_found',
  'definition_exists',
  'definition_invalid',
  'patch_invalid',
  'flag_invalid',
  'segment_invalid',
  'rule_based_segment_invalid',
  'note_required',
] as const;

export const createChangeset = endpoint({
  method: 'POST',
  path: '/changesets',
  summary: 'Create a changeset',
  description:
    'Keeps edits to definitions, flags and segments of a project, with what they are based on. Nothing is changed before it is applied. Anyone who sees the objects can propose a change; applying it takes the rights that the same edits take alone.',
  access: write,
  query: Type.Object({
    dryRun: Type.Optional(
      OneOf(['true', 'false'], {
        description: '`true`: nothing is stored, and the reply has the plan. Its `id` is empty.',
      }),
    ),
  }),
  body: NewChangeset,
  bodyLimit: keysBodyLimit,
  reply: extend(Changeset, Type.Object({ plan: Type.Optional(ChangesetPlan) })),
  versioned: true,
  problems: [...places, ...edits],
});

export const listChangesets = endpoint({
  method: 'GET',
  path: '/changesets',
  summary: 'List changesets',
  description: 'Of a project, the newest first.',
  access: read,
  pageSize,
  query: extend(
    MarkerPage(pageSize),
    Type.Object({
      workspaceId: ProjectWord,
      status: Type.Optional(OneOf(changesetStates, { description: 'Only those in this state.' })),
    }),
  ),
  showsHousekeeping: true,
  reply: MarkerListing(Changeset),
  problems: ['project_not_found', 'marker_invalid'],
});

const one = {
  path: '/changesets/:changeset',
  reply: Changeset,
  versioned: true,
} as const;

export const getChangeset = endpoint({
  ...one,
  method: 'GET',
  summary: 'Get a changeset',
  access: read,
  showsHousekeeping: true,
  problems: ['changeset_not_found'],
});

export const getChangesetPlan = endpoint({
  method: 'GET',
  path: '/changesets/:changeset/plan',
  summary: 'See what a changeset would do',
  description:
    'For each operation, against what is there now: what differs, the share of keys of each treatment before and after, keys that move, rules that are never reached, conflicts, and whether whoever asks may apply it. Nothing is written.',
  access: read,
  showsHousekeeping: true,
  reply: ChangesetPlan,
  problems: ['changeset_not_found', 'project_not_found'],
});

export const changeChangeset = endpoint({
  ...one,
  method: 'PUT',
  summary: 'Change a draft',
  description:
    'What is left out stays. New operations replace all earlier ones and are based on what is there now. For its author, and for those who can apply it.',
  access: write,
  body: ChangesetUpdate,
  bodyLimit: keysBodyLimit,
  problems: [...places, ...edits, 'changeset_not_found', 'changeset_state', 'precondition_failed', 'right_missing'],
});

export const withdrawChangeset = endpoint({
  ...one,
  method: 'DELETE',
  summary: 'Withdraw a draft',
  description: 'It stays readable. For its author, and for those who can apply it.',
  access: write,
  problems: ['changeset_not_found', 'changeset_state', 'precondition_failed', 'right_missing', 'project_not_found'],
});

export const applyChangeset = endpoint({
  method: 'POST',
  path: '/changesets/:changeset/apply',
  summary: 'Apply a changeset',
  description:
    'All operations in one transaction, or none. What others changed since is kept where the operations did not change the same; otherwise the reply is 409 with every conflict. Each object gets its own audit entry, with the changeset’s id.',
  access: write,
  reply: Changeset,
  versioned: true,
  problems: [
    ...places,
    ...edits,
    'changeset_not_found',
    'changeset_state',
    'changeset_conflict',
    'precondition_failed',
    'right_missing',
  ],
});

export const revertChangeset = endpoint({
  method: 'POST',
  path: '/changesets/:changeset/revert',
  summary: 'Draft the opposite of a changeset',
  description:
    'A new draft that takes back what the changeset changed. What others changed since stays. Deleted definitions come back with their seeds, so nobody gets another treatment by chance.',
  access: write,
  body: NoteQuery,
  bodyIsOptional: true,
  reply: Changeset,
  versioned: true,
  problems: [
    'changeset_not_found',
    'changeset_state',
    'changeset_without_changes',
    'project_not_found',
    'note_required',
  ],
});
