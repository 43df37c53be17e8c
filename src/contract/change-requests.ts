import { Type } from 'typebox';
import { ChangeRequest } from '#domain/change-requests.ts';
import { OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';

/** Approvals do not exist, so what is submitted is published at once. */
export const submitChangeRequest = endpoint({
  method: 'POST',
  path: '/changeRequests/ws/:project/environments/:environment',
  summary: 'Replace or remove the keys of a large segment',
  description:
    '`UPLOAD` replies with an address for a CSV file whose keys replace those of the segment. `ARCHIVE` removes all keys. Other change requests need approvals, which Burgee does not have: change flags and segments directly.',
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
  problems: ['change_request_unsupported', 'segment_not_found', 'segment_not_active', 'note_required'],
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
