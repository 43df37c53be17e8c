/** Brings deleted segments back from the audit log. */
import { Problem } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import type { Segment } from '#domain/segments.ts';
import { findSegmentDeletion } from '#store/deletions.ts';
import { listEnvironments } from '#store/environments.ts';
import { listSegmentUsers } from '#store/references.ts';
import * as store from '#store/segments.ts';
import { findTrafficTypeById } from '#store/traffic-types.ts';
import { requireRight } from './actors.ts';
import { requireDirect } from './approvals.ts';
import { type Context, type RecordingTx, write } from './context.ts';
import { requireNote } from './projects.ts';
import { replaceLockedRulesIn } from './rule-based-segments.ts';
import { activateSegmentIn, entry, type LockedPlace, toRecord } from './segments.ts';

export interface SegmentUndeletion {
  readonly project: Project;
  readonly segmentId: string;
  readonly note: Note;
}

/**
 * Restores a segment, and its rules in the environments where it was active and that still exist. It keeps its id, so
 * that its history continues. The log has no keys, so a list of keys is empty.
 */
export const undeleteSegment = (context: Context, change: SegmentUndeletion) =>
  write(context, (tx) => undeleteSegmentIn(tx, change));

async function undeleteSegmentIn(tx: RecordingTx, { project, segmentId, note }: SegmentUndeletion): Promise<Segment> {
  await requireNote(tx, project, note);
  const deletion = await findSegmentDeletion(tx, project.id, segmentId);
  if (!deletion) throw new Problem('deleted_segment_not_found', { nameOrId: segmentId });
  const deleted = deletion.segment as Omit<Segment, 'id' | 'projectId' | 'creator'>;
  const trafficType = await findTrafficTypeById(tx, deleted.trafficType.id);
  if (!trafficType) throw new Problem('traffic_type_not_found', { nameOrId: deleted.trafficType.name });
  const { type, id, name } = tx.actor;
  const segment: Segment = {
    ...deleted,
    id: segmentId,
    projectId: project.id,
    trafficType: { id: trafficType.id, name: trafficType.name },
    creator: { type, id, name },
  };
  await store.insertSegment(tx, segment);
  await store.saveSegmentTags(
    tx,
    segment.id,
    (segment.tags ?? []).map((tag) => tag.name),
  );
  await tx.record({
    ...entry('segment.undeleted', segment),
    after: toRecord(segment),
    note,
    notBefore: deletion.at + 1,
  });
  const all = await listEnvironments(tx, project.id, { kind: 'account' });
  const environments = all.filter((one) => deletion.places.has(one.id)).sort((a, b) => (a.id < b.id ? -1 : 1));
  if (environments.length > 0) await requireRight(tx, tx.actor, { right: 'define', project, environments });
  for (const environment of environments) {
    const place = await activateSegmentIn(tx, { environment, segment });
    const { rules = [], excludedKeys = [], excludedSegments = [] } = deletion.places.get(environment.id) ?? {};
    const body: SegmentRules = { rules, excludedKeys, excludedSegments };
    if (rules.length + excludedKeys.length + excludedSegments.length > 0) {
      await replaceLockedRulesIn(await recordingAt(tx, place), { ...place, note }, body);
    }
  }
  return segment;
}

/** As deleting it: an approval is needed only where something names the segment, so that its rules decide something. */
async function recordingAt(tx: RecordingTx, place: LockedPlace): Promise<RecordingTx> {
  const { projectId, name } = place.segment;
  const filter = { projectId, segment: name, environmentId: place.environment.id };
  const [user] = await listSegmentUsers(tx, filter, { offset: 0, limit: 1 });
  return user ? requireDirect(tx, place) : tx;
}
