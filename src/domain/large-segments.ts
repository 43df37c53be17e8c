/** Large segments: up to ten million keys in an environment, replaced as a whole by a file. */
import { type Static, Type } from 'typebox';
import { Millis, OneOf, Reference } from './schema.ts';
import type { Segment } from './segments.ts';

export const maxLargeKeys = 10_000_000;
export const maxUploadBytes = 500_000_000;
/** How long the address of an upload works. */
export const uploadWaitMs = 5 * 60_000;

const Tag = Type.Object({ name: Type.String() });

/** A large segment in its project. */
export const LargeSegmentReply = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  trafficType: Reference,
  creationTime: Millis,
  tags: Type.Array(Tag),
});

/** A large segment in an environment. */
export const ActiveLargeSegmentReply = Type.Object({
  id: Type.String(),
  name: Type.String(),
  environment: Reference,
  trafficType: Reference,
  creationTime: Millis,
  count: Type.Integer({ description: 'how many keys it has here' }),
  lastUpdateTime: Millis,
});

export const toLargeSegmentReply = (segment: Segment): Static<typeof LargeSegmentReply> => {
  const { id, name, description, trafficType, creationTime, tags } = segment;
  return { id, name, description, trafficType, creationTime, tags: tags ?? [] };
};

const uploadStatuses = ['awaiting', 'receiving', 'waiting', 'published', 'failed'] as const;

/** A request to replace the keys of a large segment by a file. */
export const Upload = Type.Object({
  id: Type.String({ description: 'of an upload: also the id of its change request' }),
  status: OneOf(uploadStatuses, {
    description: '`awaiting`: for the file. `waiting`: the file has arrived and needs an approval.',
  }),
  receivedBytes: Type.Integer(),
  totalBytes: Type.Optional(Type.Integer({ description: 'absent if the client did not send a length' })),
  count: Type.Optional(Type.Integer({ description: 'how many keys the file had' })),
  failure: Type.Optional(Type.String()),
  title: Type.String(),
  comment: Type.String(),
  editor: Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }),
  createdAt: Millis,
});
export type Upload = Static<typeof Upload>;

/** Why an upload that never ended has failed. */
export const interrupted = 'The upload was interrupted.';
export const expired = 'No file was sent in time.';
