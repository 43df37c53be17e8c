/** Change requests as clients of the vendor's API know them: only uploads of large segments have one. */
import { type Static, Type } from 'typebox';
import type { Upload } from './large-segments.ts';
import { Millis, OneOf, type Reference } from './schema.ts';

/** Members that the vendor's change requests have and ours never fill. */
const Nothing = Type.Null();

export const ChangeRequest = Type.Object({
  id: Type.String(),
  status: OneOf(['AWAITING', 'PUBLISHED', 'REJECTED'], {
    description: 'AWAITING until the file has arrived; REJECTED if it did not, or was refused',
  }),
  operationType: OneOf(['UPLOAD', 'ARCHIVE']),
  title: Type.String(),
  comment: Nothing,
  comments: Type.Array(
    Type.Object({ comment: Type.String(), user: Type.String(), role: Type.Literal('SUBMITTER'), timestamp: Millis }),
  ),
  approvers: Type.Array(Type.String()),
  workspace: Type.Object({ id: Type.String(), type: Type.Literal('workspace') }),
  split: Nothing,
  segment: Nothing,
  largeSegment: Type.Object({ name: Type.String() }),
  ruleBasedSegment: Nothing,
  rolloutStatus: Nothing,
  rolloutStatusTimestamp: Nothing,
  transactionMetadata: Type.Unsafe<{
    readonly method: 'PUT';
    readonly url: string;
    readonly headers: { readonly Host: readonly string[] };
  } | null>({
    type: ['object', 'null'],
    description: 'Where to send the file: one key per line, no header. Only in the reply to an UPLOAD.',
    properties: {
      method: { type: 'string' },
      url: { type: 'string', description: 'needs no key, works once, for five minutes' },
      headers: { type: 'object', properties: { Host: { type: 'array', items: { type: 'string' } } } },
    },
  }),
});

type Requested = Upload & {
  readonly operation: 'UPLOAD' | 'ARCHIVE';
  readonly project: Reference;
  readonly segment: Reference;
};
type Address = Static<typeof ChangeRequest>['transactionMetadata'];

const statuses = { awaiting: 'AWAITING', receiving: 'AWAITING', published: 'PUBLISHED', failed: 'REJECTED' } as const;

export const toChangeRequest = (
  { id, status, operation, title, comment, editor, createdAt, project, segment }: Requested,
  address: Address = null,
): Static<typeof ChangeRequest> => ({
  id,
  status: statuses[status],
  operationType: operation,
  title,
  comment: null,
  comments: comment === '' ? [] : [{ comment, user: editor.name, role: 'SUBMITTER', timestamp: createdAt }],
  approvers: [],
  workspace: { id: project.id, type: 'workspace' },
  split: null,
  segment: null,
  largeSegment: { name: segment.name },
  ruleBasedSegment: null,
  rolloutStatus: null,
  rolloutStatusTimestamp: null,
  transactionMetadata: address,
});
