import { activateSegment, createSegment, deactivateSegment, deleteSegment } from '#commands/segments.ts';
import * as contract from '#contract/large-segments.ts';
import { limited } from '#contract/parts.ts';
import type { Environment } from '#domain/environments.ts';
import { toLargeSegmentReply } from '#domain/large-segments.ts';
import { Problem } from '#domain/problems.ts';
import type { Segment } from '#domain/segments.ts';
import { type ActiveLargeSegment, listActiveLargeSegments, listLargeKeys } from '#store/large-segments.ts';
import { listSegments } from '#store/segments.ts';
import type { Reader } from '#store/sql.ts';
import { listedUploads, listUploads } from '#store/uploads.ts';
import { implement } from '../pipeline/implement.ts';

export const largeSegments = (db: Reader) =>
  implement(contract, {
    listLargeSegments: async ({ project }) => {
      const all = { offset: 0, limit: Number.MAX_SAFE_INTEGER };
      return (await listSegments(db, { projectId: project.id, kind: 'large' }, all)).map(toLargeSegmentReply);
    },
    getLargeSegment: async ({ largeSegment }) => toLargeSegmentReply(largeSegment),
    createLargeSegment: async ({ context, project, trafficType, body: { name, description = '' } }) =>
      toLargeSegmentReply(await createSegment(context, { project, trafficType, kind: 'large', name, description })),
    deleteLargeSegment: async ({ context, largeSegment }) => deleteSegment(context, largeSegment),
    listActiveLargeSegments: async ({ environment }) =>
      (await listActiveLargeSegments(db, environment.id)).map((segment) => toActive(segment, environment)),
    activateLargeSegment: async ({ context, environment, largeSegment: segment }) => {
      await activateSegment(context, { environment, segment });
      return toActive(await findActive(db, environment, segment), environment);
    },
    deactivateLargeSegment: async ({ context, environment, largeSegment: segment }) =>
      deactivateSegment(context, { environment, segment }),
    listLargeSegmentKeys: async ({ environment, largeSegment, query: { from = '', limit: asked } }) => {
      const { keyCount } = await findActive(db, environment, largeSegment);
      const limit = limited(asked, contract.listLargeSegmentKeys.pageSize);
      const place = { environmentId: environment.id, segmentId: largeSegment.id };
      const keys = await listLargeKeys(db, place, { from, limit: limit + 1 });
      return { keys: keys.slice(0, limit).map((key) => ({ key })), count: keyCount, limit, next: keys[limit] ?? null };
    },
    listUploads: async ({ environment, largeSegment }) => {
      await findActive(db, environment, largeSegment);
      return listUploads(db, { environmentId: environment.id, segmentId: largeSegment.id }, listedUploads);
    },
  });

async function findActive(db: Reader, environment: Environment, { name }: Segment): Promise<ActiveLargeSegment> {
  const [segment] = await listActiveLargeSegments(db, environment.id, name);
  if (!segment) throw new Problem('segment_not_active', { name, environment: environment.name });
  return segment;
}

const toActive = (segment: ActiveLargeSegment, { id, name }: Environment) => ({
  id: segment.id,
  name: segment.name,
  environment: { id, name },
  trafficType: segment.trafficType,
  creationTime: segment.createdAt,
  count: segment.keyCount,
  lastUpdateTime: segment.updatedAt,
});
