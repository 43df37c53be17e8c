import { Type } from 'typebox';
import { ChangesetPlan } from '#domain/changeset-plans.ts';
import {
  Changeset,
  ChangesetRequest,
  ChangesetUpdate,
  Comment,
  changesetStates,
  NewChangeset,
  Remark,
} from '#domain/changesets.ts';
import { extend, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { keysBodyLimit, MarkerListing, MarkerPage, NoteQuery, ProjectNameOrId } from './parts.ts';

/** Problems of asking for approvals, and of giving them. */
const reviews = ['changeset_not_found', 'changeset_state', 'changeset_invalid', 'precondition_failed'] as const;
const approving = [...reviews, 'changeset_own', 'changeset_not_approver', 'project_not_found'] as const;

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
  problems: [...places, ...edits, 'precondition_failed'],
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
      workspaceId: ProjectNameOrId,
      status: Type.Optional(OneOf(changesetStates, { description: 'Only those in this state.' })),
      flag: Type.Optional(Type.String({ description: 'Only those that change this flag, by id.' })),
      segment: Type.Optional(
        Type.String({ description: 'Instead of `flag`: only those that change this segment, by id.' }),
      ),
      environment: Type.Optional(
        Type.String({ description: 'With `flag` or `segment`: only those that change it in this environment, by id.' }),
      ),
      reverts: Type.Optional(Type.String({ description: 'Only those that take back this changeset, by id.' })),
      filter: Type.Optional(
        OneOf(['all', 'mine', 'waiting'], {
          description:
            '`mine`: those that whoever asks made. `waiting`: those that wait for an approval that they can give, or that are ready and that they can apply although their author cannot.',
        }),
      ),
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
    'For each operation, against what is there now: what differs, the share of keys of each treatment before and after, keys that move, findings of a verifier, conflicts, and whether whoever asks may apply it. `approvals` says which approvals it needs, and which of them it has. Nothing is written.',
  access: read,
  showsHousekeeping: true,
  reply: ChangesetPlan,
  problems: ['changeset_not_found', 'project_not_found'],
});

export const changeChangeset = endpoint({
  ...one,
  method: 'PUT',
  summary: 'Change a changeset',
  description:
    'What is left out stays. New operations replace all earlier ones, unless they are in `add`, and are based on what is there now. If anything changes, approvals are void, and whoever changed it cannot approve it. For its author, and for those who can apply it, until it is published, rejected or withdrawn.',
  access: write,
  body: ChangesetUpdate,
  bodyLimit: keysBodyLimit,
  problems: [...places, ...edits, 'changeset_not_found', 'changeset_state', 'precondition_failed', 'right_missing'],
});

export const withdrawChangeset = endpoint({
  ...one,
  method: 'DELETE',
  summary: 'Withdraw a changeset',
  description: 'It stays readable. For its author, and for those who can apply it.',
  access: write,
  problems: [...reviews, 'right_missing', 'project_not_found'],
});

export const requestChangeset = endpoint({
  method: 'POST',
  path: '/changesets/:changeset/request',
  summary: 'Ask for approvals',
  description:
    'Of a draft. Environments that require approvals need one each; GET …/plan lists them. With all of them, or if none is needed, it is `APPROVED` and can be applied; if its author cannot, those who can are notified. Requests expire (setting `REQUEST_DAYS`).',
  access: write,
  body: ChangesetRequest,
  bodyIsOptional: true,
  reply: Changeset,
  versioned: true,
  problems: [...reviews, 'approvers_restricted', 'right_missing', 'project_not_found'],
});

export const approveChangeset = endpoint({
  method: 'POST',
  path: '/changesets/:changeset/approve',
  summary: 'Approve a changeset',
  description:
    'Approves what it contains now, in every environment where whoever approves can. Any edit voids the approval. It counts only as long as they could still give it. Nobody approves what they wrote or edited. Send `If-Match` to approve what you have seen.',
  access: write,
  body: Remark,
  bodyIsOptional: true,
  reply: Changeset,
  versioned: true,
  problems: approving,
});

export const rejectChangeset = endpoint({
  method: 'POST',
  path: '/changesets/:changeset/reject',
  summary: 'Reject a changeset',
  description: 'For those who could approve it. It cannot be applied any more.',
  access: write,
  body: Remark,
  bodyIsOptional: true,
  reply: Changeset,
  versioned: true,
  problems: approving,
});

export const askForChanges = endpoint({
  method: 'POST',
  path: '/changesets/:changeset/ask',
  summary: 'Ask for changes to a changeset',
  description:
    'For those who could approve it. Its author gets a mail with the comment. Its state and its approvals stay as they are.',
  access: write,
  body: Comment,
  reply: Changeset,
  versioned: true,
  problems: approving,
});

export const commentChangeset = endpoint({
  method: 'POST',
  path: '/changesets/:changeset/comments',
  summary: 'Comment on a changeset',
  access: write,
  body: Comment,
  reply: Changeset,
  versioned: true,
  problems: ['changeset_not_found', 'changeset_invalid', 'project_not_found'],
});

export const applyChangeset = endpoint({
  method: 'POST',
  path: '/changesets/:changeset/apply',
  summary: 'Apply a changeset',
  description:
    'All operations in one transaction, or none. Needs the approvals that its environments require. What others changed since is kept where the operations did not change the same; otherwise the reply is 409 with every conflict. Each object gets its own audit entry, with the changeset’s id.',
  access: write,
  reply: Changeset,
  versioned: true,
  problems: [
    ...places,
    ...edits,
    'changeset_not_found',
    'changeset_state',
    'changeset_conflict',
    'approvals_required',
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
