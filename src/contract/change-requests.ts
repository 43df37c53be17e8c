import { Type } from 'typebox';
import { ChangeRequest, Decision, NewChangeRequest, operationTypes } from '#domain/change-requests.ts';
import { extend, Id, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { keysBodyLimit, MarkerListing, MarkerPage } from './parts.ts';

const read = { needs: 'changeset.read', scope: 'environment' } as const;
const write = { needs: 'changeset.write', scope: 'environment' } as const;

/** Problems of publishing it. */
const publishing = [
  'approvals_required',
  'changeset_conflict',
  'definition_invalid',
  'definition_not_found',
  'flag_not_found',
  'segment_not_found',
  'segment_not_active',
  'segment_invalid',
  'rule_based_segment_invalid',
  'note_required',
  'right_missing',
] as const;
const submitting = [
  ...publishing,
  'approvers_restricted',
  'change_request_unsupported',
  'change_request_pending',
  'changeset_invalid',
  'definition_exists',
  'flag_invalid',
  'patch_invalid',
] as const;

export const submitChangeRequest = endpoint({
  method: 'POST',
  path: '/changeRequests/ws/:project/environments/:environment',
  summary: 'Submit a change request',
  description:
    'Asks for a change of one flag or segment, as a changeset. Where it needs no approval it is published at once; otherwise it is `REQUESTED`, and the last approval publishes it. An object can have one that waits: another is 423, with its id in `details`. `UPLOAD` replies with an address for a CSV file whose keys replace those of the large segment.',
  access: write,
  body: NewChangeRequest,
  bodyLimit: keysBodyLimit,
  reply: ChangeRequest,
  showsSecret: true,
  problems: submitting,
});

export const submitKeyFile = endpoint({
  method: 'POST',
  path: '/changeRequests/ws/:project/environments/:environment/file',
  summary: 'Submit a change request with a file',
  description:
    'A form with a CSV file in the part `file` (one key per line, without a header), and the parts `segmentName`, `operationType`, `title`, `comment` and `approvers`, which are separated by commas. `CREATE` adds the keys to the segment, `ARCHIVE` removes them.',
  access: write,
  body: Type.Object({
    segmentName: Type.String({ minLength: 1, maxLength: 255 }),
    keys: Type.Array(Type.String(), { description: 'instead of the file' }),
    operationType: Type.Optional(OneOf(operationTypes)),
    title: NewChangeRequest.properties.title,
    comment: NewChangeRequest.properties.comment,
    approvers: Type.Optional(Type.String({ maxLength: 10_000 })),
  }),
  mayBeForm: true,
  bodyLimit: keysBodyLimit,
  reply: ChangeRequest,
  problems: submitting,
});

const pageSize = { default: 20, max: 100 };

export const listChangeRequests = endpoint({
  method: 'GET',
  path: '/changeRequests',
  summary: 'List change requests',
  description: 'In order of creation; those that wait for an approval or for their file, unless a status is given.',
  access: read,
  pageSize,
  query: extend(
    MarkerPage(pageSize),
    Type.Object({
      status: Type.Optional(
        Type.String({
          maxLength: 255,
          description: '`REQUESTED`, `APPROVED`, `PUBLISHED`, `REJECTED`, `WITHDRAWN`, `EXPIRED` or `AWAITING`.',
        }),
      ),
      environmentId: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'Only in this environment.' })),
    }),
  ),
  showsHousekeeping: true,
  reply: MarkerListing(ChangeRequest),
  problems: ['marker_invalid'],
});

const one = { path: '/changeRequests/:changeRequest', reply: ChangeRequest } as const;

export const getChangeRequest = endpoint({
  ...one,
  method: 'GET',
  summary: 'Get a change request',
  access: read,
  showsHousekeeping: true,
  problems: ['change_request_not_found'],
});

export const decideChangeRequest = endpoint({
  ...one,
  method: 'PUT',
  summary: 'Approve, reject, withdraw or publish a change request',
  description:
    'With the last approval that it needs it is published. Nobody approves what they submitted; API keys approve only if they are among the `approvers` of the environment. `WITHDRAWN` is for whoever submitted it, and for those who can make the change.',
  access: write,
  body: Decision,
  problems: [
    ...publishing,
    'change_request_not_found',
    'change_request_not_approver',
    'changeset_own',
    'changeset_state',
    'changeset_invalid',
    'changeset_not_found',
    'environment_not_found',
    'project_not_found',
  ],
});
