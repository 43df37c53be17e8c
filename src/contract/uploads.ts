import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';

/** The token is the permission: the address was given to somebody who may change the segment. */
export const uploadLargeSegment = endpoint({
  method: 'PUT',
  path: '/internal/uploads/:token',
  summary: 'Send the file of a large segment',
  description:
    'The body is a CSV file of UTF-8 text with one key per line and no header, at most 500 MB. Its keys replace those of the segment when the whole file is stored; if anything fails before, the segment keeps its keys.',
  access: 'public',
  streamBody: true,
  reply: Type.Object({ count: Type.Integer({ description: 'how many different keys the file has' }) }),
  problems: [
    'approvals_required',
    'upload_unknown',
    'segment_invalid',
    'segment_not_found',
    'segment_not_active',
    'too_many_uploads',
    'unauthenticated',
    'forbidden',
    'right_missing',
  ],
});
