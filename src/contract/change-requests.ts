import { Type } from 'typebox';
import { ChangeRequest } from '#domain/change-requests.ts';
import { extend, Id, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { MarkerListing, MarkerPage } from './parts.ts';

/** What is submitted is published at once; where that needs an approval, it is refused. */
export const submitChangeRequest = endpoint({
  method: 'POST',
  path: '/changeRequests/ws/:project/environments/:environment',
  summary: 'Replace or remove the keys of a large segment',
  description:
    '`UPLOAD` replies with an address for a CSV file whose keys replace those of the segment. `ARCHIVE` removes all keys. Where the environment requires approvals, only those who skip them can submit it. Change flags and other segments directly, or with a changeset.',
  access: { needs: 'segmentContent.write', scope: 'environment' },
  body: Type.Object({
    largeSegment: Type.Optional(Type.Object({ name: Type.String({ maxLength: 255 }) })),
    operationType: OneOf(['UPLOAD', 'ARCHIVE', 'CREATE', 'UPDATE', 'KILL', 'RESTORE']),
    title: Type.Optional(Type.String({ maxLength: 2_000 })),
    comment: Type.Optional(Type.String({ maxLength: 2_000 })),
    approvers: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100, description: 'ignored' })),
  }),
  reply: ChangeRequest,
  showsSecret: true,
  problems: [
    'approvals_required',
    'change_request_unsupported',
    'segment_not_found',
    'segment_not_active',
    'note_required',
  ],
});

const pageSize = { default: 20, max: 200 };

export const listChangeRequests = endpoint({
  method: 'GET',
  path: '/changeRequests',
  summary: 'List change requests',
  description: 'In order of creation; those that still wait for their file, unless a status is given.',
  access: { needs: 'segment.read', scope: 'environment' },
  pageSize,
  query: extend(
    MarkerPage(pageSize),
    Type.Object({
      status: Type.Optional(
        Type.String({
          maxLength: 255,
          description: '`PUBLISHED`, `REJECTED`, or `REQUESTED` for those that wait. Others have no change requests.',
        }),
      ),
      environmentId: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'Only in this environment.' })),
    }),
  ),
  showsHousekeeping: true,
  reply: MarkerListing(ChangeRequest),
  problems: ['marker_invalid'],
});

export const getChangeRequest = endpoint({
  method: 'GET',
  path: '/changeRequests/:changeRequest',
  summary: 'Get a change request',
  access: { needs: 'segment.read', scope: 'environment' },
  showsHousekeeping: true,
  reply: ChangeRequest,
  problems: ['change_request_not_found'],
});
