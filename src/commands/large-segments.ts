/** Replaces the keys of large segments. `segments.ts` creates, activates and deletes them; `uploads.ts` receives files. */
import { v7 as newId } from 'uuid';
import { Problem } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import type { Reference } from '#domain/schema.ts';
import * as store from '#store/large-segments.ts';
import { insertUpload, type NewUpload } from '#store/uploads.ts';
import { requireDirect } from './approvals.ts';
import type { RecordingTx } from './context.ts';
import { requireNote } from './projects.ts';
import { entry, lockPlace, lockSegment, type SegmentPlace } from './segments.ts';

export interface LargeSegmentChange extends SegmentPlace {
  readonly project: Project;
  readonly note: Note;
}

/** Removes all keys. */
export async function emptyLargeSegmentIn(tx: RecordingTx, change: LargeSegmentChange): Promise<void> {
  await requireNote(tx, change.project, change.note);
  await insertRequest(tx, change, { id: newId(), operation: 'ARCHIVE' });
  await serveList(tx, change, undefined);
}

/** Keeps it among the uploads of the segment. */
export const insertRequest = (
  tx: RecordingTx,
  { environment, segment, note }: Served,
  fields: Pick<NewUpload, 'id' | 'operation' | 'tokenHash'>,
) => {
  const { type, id, name, sessionId } = tx.actor;
  const place = { environmentId: environment.id, segmentId: segment.id };
  return insertUpload(tx, { ...fields, ...place, note, actor: { type, id, name }, sessionId });
};

/** A list, with some keys for the audit log. */
export interface StoredList extends store.KeyList {
  readonly firstKeys: readonly string[];
}

export interface Served {
  readonly environment: Reference;
  readonly segment: Reference;
  readonly note: Note;
}

/** Makes the list, or none, the keys of the segment. False if they are its keys already. */
export async function serveList(
  tx: RecordingTx,
  { note, ...at }: Served,
  list: StoredList | undefined,
): Promise<boolean> {
  const place = await lockPlace(tx, at.environment, await lockSegment(tx, at.segment));
  const { environment, segment, changeNumber, activation } = place;
  const recording = await requireDirect(tx, place);
  const ids = { environmentId: environment.id, segmentId: segment.id };
  if ((await store.findDigest(tx, ids.environmentId, ids.segmentId)) === list?.digest) return tx.unchanged(false);
  if (!(await store.saveList(tx, { ...ids, changeNumber }, list))) throw new Problem('upload_unknown');
  const { name } = segment;
  const { digest, firstKeys } = list ?? {};
  await recording.record({
    ...entry(list ? 'segment.keys_uploaded' : 'segment.keys_archived', segment, environment),
    before: { name, keyCount: activation.keyCount },
    after: { name, keyCount: list?.keyCount ?? 0, changeNumber, digest, firstKeys },
    note,
    notBefore: changeNumber,
  });
  return true;
}
