import { Type } from 'typebox';
import { ActiveLargeSegmentReply, LargeSegmentReply, Upload } from '#domain/large-segments.ts';
import { NewSegment } from '#domain/segments.ts';
import { endpoint } from './endpoint.ts';
import { True } from './parts.ts';

export const listLargeSegments = endpoint({
  method: 'GET',
  path: '/large-segments/ws/:project',
  summary: 'List large segments',
  description: 'In order of creation.',
  access: { needs: 'segment.read', scope: 'project' },
  reply: Type.Array(LargeSegmentReply),
  problems: [],
});

export const getLargeSegment = endpoint({
  method: 'GET',
  path: '/large-segments/ws/:project/:largeSegment',
  summary: 'Get a large segment',
  access: { needs: 'segment.read', scope: 'project' },
  reply: LargeSegmentReply,
  problems: [],
});

export const createLargeSegment = endpoint({
  method: 'POST',
  path: '/large-segments/ws/:project/trafficTypes/:trafficType',
  summary: 'Create a large segment',
  description: 'It is active in no environment yet. Names are unique over all kinds of segments.',
  access: { needs: 'segment.write', scope: 'project' },
  body: NewSegment,
  reply: LargeSegmentReply,
  problems: ['segment_name_taken'],
});

export const deleteLargeSegment = endpoint({
  method: 'DELETE',
  path: '/large-segments/ws/:project/:largeSegment',
  summary: 'Delete a large segment',
  description: 'Also deletes its keys in all environments. Only if nothing uses it.',
  access: { needs: 'segment.write', scope: 'project' },
  reply: True,
  problems: ['segment_in_use'],
});

export const listActiveLargeSegments = endpoint({
  method: 'GET',
  path: '/large-segments/ws/:project/environments/:environment',
  summary: 'List the large segments of an environment',
  description: 'Those that are active there, in order of creation.',
  access: { needs: 'segment.read', scope: 'environment' },
  reply: Type.Array(ActiveLargeSegmentReply),
  problems: [],
});

export const activateLargeSegment = endpoint({
  method: 'POST',
  path: '/large-segments/:environment/:largeSegment',
  summary: 'Activate a large segment in an environment',
  description: 'It has no keys there yet: request an upload to add them.',
  access: { needs: 'segmentContent.write', scope: 'environment' },
  reply: ActiveLargeSegmentReply,
  problems: ['segment_active'],
});

export const deactivateLargeSegment = endpoint({
  method: 'DELETE',
  path: '/large-segments/:environment/:largeSegment',
  summary: 'Deactivate a large segment in an environment',
  description: 'Only if it has no keys there, and nothing there uses it.',
  access: { needs: 'segmentContent.write', scope: 'environment' },
  reply: True,
  problems: ['segment_not_active', 'segment_in_use', 'segment_has_keys'],
});

const keysPageSize = { default: 100, max: 1_000 };

export const listLargeSegmentKeys = endpoint({
  method: 'GET',
  path: '/large-segments/:environment/:largeSegment/keys',
  summary: 'List the keys of a large segment',
  description: 'Sorted by their bytes. An addition to the vendor’s API.',
  access: { needs: 'segment.read', scope: 'environment' },
  pageSize: keysPageSize,
  query: Type.Object({
    from: Type.Optional(
      Type.String({ maxLength: 250, description: 'Begins at the first key that is not smaller. Default: the first.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: `default ${keysPageSize.default}; more than ${keysPageSize.max} is lowered to ${keysPageSize.max}`,
      }),
    ),
  }),
  reply: Type.Object({
    keys: Type.Array(Type.Object({ key: Type.String() })),
    count: Type.Integer({ description: 'how many keys the segment has' }),
    limit: Type.Integer(),
    next: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'send it as `from` for the next page; null on the last',
    }),
  }),
  problems: ['segment_not_active'],
});

export const listUploads = endpoint({
  method: 'GET',
  path: '/large-segments/:environment/:largeSegment/uploads',
  summary: 'List the latest uploads of a large segment',
  description: 'The ten newest, newest first, with their progress. An addition to the vendor’s API.',
  access: { needs: 'segment.read', scope: 'environment' },
  showsHousekeeping: true,
  reply: Type.Array(Upload),
  problems: ['segment_not_active'],
});
