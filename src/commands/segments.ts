/** What is done with segments of all kinds: create, delete, tag, activate and deactivate. */
import { v7 as newId } from 'uuid';
import type { Environment } from '#domain/environments.ts';
import { equalJson, JsonText } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { toRuleBasedText } from '#domain/rule-based-segments.ts';
import type { Reference } from '#domain/schema.ts';
import {
  type Activation,
  type Segment,
  type SegmentDetails,
  type SegmentKind,
  toSegmentReply,
} from '#domain/segments.ts';
import type { TrafficType } from '#domain/traffic-types.ts';
import { type Approvals, nextChangeNumber } from '#store/environments.ts';
import type { Changed } from '#store/notices.ts';
import { listSegmentUsers } from '#store/references.ts';
import { renumberUsersOf } from '#store/renumbering.ts';
import { removeAllKeys } from '#store/segment-keys.ts';
import * as store from '#store/segments.ts';
import type { Tx } from '#store/sql.ts';
import { findTrafficTypeById } from '#store/traffic-types.ts';
import { requireRight } from './actors.ts';
import { type Context, type Entry, type RecordingTx, write } from './context.ts';
import { requireNote } from './projects.ts';

export interface NewSegment {
  readonly project: Project;
  readonly trafficType: TrafficType;
  readonly kind: SegmentKind;
  readonly name: string;
  readonly description: string;
  readonly tags?: readonly string[];
}

/** Creates a segment that is active nowhere. */
export const createSegment = (context: Context, segment: NewSegment) =>
  write(context, (tx) => createSegmentIn(tx, segment));

export async function createSegmentIn(tx: RecordingTx, { project, trafficType, tags = [], ...fields }: NewSegment) {
  if (!(await findTrafficTypeById(tx, trafficType.id))) {
    throw new Problem('traffic_type_not_found', { nameOrId: trafficType.name });
  }
  const { type, id, name } = tx.actor;
  const segment: Segment = {
    ...fields,
    id: newId(),
    projectId: project.id,
    trafficType: { id: trafficType.id, name: trafficType.name },
    creator: { type, id, name },
    creationTime: tx.now,
    tags: toTags(tags),
  };
  await store.insertSegment(tx, segment);
  if (segment.tags) await store.saveSegmentTags(tx, segment.id, [...new Set(tags)]);
  await tx.record({ ...entry('segment.created', segment), after: toRecord(segment) });
  return segment;
}

/** Changes the description, the tags or both. */
export const changeSegmentDetails = (context: Context, segment: Segment, change: DetailsChange) =>
  write(context, (tx) => changeSegmentDetailsIn(tx, segment, change));

export interface DetailsChange {
  readonly project: Project;
  readonly details: SegmentDetails;
  readonly note: Note;
}

export async function changeSegmentDetailsIn(
  tx: RecordingTx,
  segment: Segment,
  { project, details: { description, tags }, note }: DetailsChange,
): Promise<Segment> {
  await requireNote(tx, project, note);
  const before = await lockSegment(tx, segment);
  const after = {
    ...before,
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags: toTags(tags) }),
  };
  if (equalJson(after, before)) return tx.unchanged(before);
  await store.saveSegmentDescription(tx, segment.id, after.description);
  await store.saveSegmentTags(
    tx,
    segment.id,
    (after.tags ?? []).map(({ name }) => name),
  );
  await tx.record({ ...entry('segment.patched', after), before: toRecord(before), after: toRecord(after), note });
  return after;
}

const toTags = (names: readonly string[]): Segment['tags'] =>
  names.length === 0 ? null : [...new Set(names)].map((name) => ({ name }));

/** Replaces the segment's tags. */
export const tagSegment = (context: Context, segment: Segment, change: { tags: readonly string[]; note: Note }) =>
  write(context, (tx) => tagSegmentIn(tx, segment, change));

export async function tagSegmentIn(
  tx: RecordingTx,
  segment: Segment,
  { tags, note }: { tags: readonly string[]; note: Note },
): Promise<Segment> {
  const before = await lockSegment(tx, segment);
  const after = { ...before, tags: toTags(tags) };
  if (equalJson(after, before)) return tx.unchanged(before);
  await store.saveSegmentTags(tx, segment.id, [...new Set(tags)]);
  await tx.record({ ...entry('segment.tagged', after), before: toRecord(before), after: toRecord(after), note });
  return after;
}

/** Deletes a segment that nothing names. It is deactivated everywhere first, with its keys. */
export const deleteSegment = (context: Context, segment: Segment) =>
  write(context, (tx) => deleteSegmentIn(tx, segment));

export async function deleteSegmentIn(tx: RecordingTx, segment: Segment) {
  const before = await lockSegment(tx, segment);
  const project = { id: before.projectId, name: before.projectId };
  const environments = await store.listEnvironmentsOfSegment(tx, segment.id);
  // Its keys go along, so it takes the right to edit each of these environments.
  if (environments.length > 0) await requireRight(tx, tx.actor, { right: 'define', project, environments });
  const places: LockedPlace[] = [];
  for (const environment of environments) places.push(await lockPlace(tx, environment, before));
  await requireUnused(tx, before);
  for (const place of places) await deactivate(tx, place);
  await store.deleteSegment(tx, segment.id);
  await tx.record({ ...entry('segment.deleted', before), before: toRecord(before) });
  return true as const;
}

/**
 * Part of deleting a project: nothing names them, and the environment is deleted in the same transaction, so they leave
 * no tombstones. A job deletes their keys.
 */
export async function removeActivationsIn(
  tx: RecordingTx,
  environment: Environment,
  active: readonly store.ActiveSegment[],
): Promise<void> {
  await store.deleteActivations(
    tx,
    environment.id,
    active.map(({ segment }) => segment),
  );
  await tx.record(
    ...active.map(({ segment, activation }) => ({
      ...entry('segment.deactivated', segment, environment),
      before: toPlaceRecord({ environment, segment, activation }),
    })),
  );
}

/** Part of deleting a project. They must be active nowhere. */
export async function removeSegmentsIn(tx: RecordingTx, segments: readonly Segment[]): Promise<void> {
  await store.deleteSegments(tx, segments);
  await tx.record(...segments.map((segment) => ({ ...entry('segment.deleted', segment), before: toRecord(segment) })));
}

/** A segment in an environment. */
export interface SegmentPlace {
  readonly environment: Environment;
  readonly segment: Segment;
  /** The least change number, of an import; that of the clock if absent. */
  readonly atLeast?: number | undefined;
}

/** Makes the segment usable in the environment, without keys. SDKs receive what names it there again. */
export const activateSegment = (context: Context, place: SegmentPlace) =>
  write(context, (tx) => activateSegmentIn(tx, place));

export async function activateSegmentIn(tx: RecordingTx, place: SegmentPlace): Promise<LockedPlace> {
  const segment = await lockSegment(tx, place.segment);
  const { environment, changeNumber, approvals } = await nextChangeNumber(
    tx,
    place.environment,
    changed(segment),
    place.atLeast,
  );
  const { name } = segment;
  if (await store.findActivation(tx, environment.id, segment.id)) {
    throw new Problem('segment_active', { name, environment: environment.name });
  }
  await store.insertActivation(tx, environment.id, segment, changeNumber);
  // What named it until now was sent to SDKs as if it were a standard segment.
  if (segment.kind !== 'standard') await renumberUsersOf(tx, { environmentId: environment.id, name }, changeNumber);
  const activation = { changeNumber, keyCount: 0, rules: undefined, createdAt: tx.now, updatedAt: tx.now };
  const active = { environment, segment, changeNumber, approvals, activation };
  await tx.record({ ...entry('segment.activated', segment, environment), after: toPlaceRecord(active) });
  return active;
}

/** Deactivates a segment without keys that nothing in the environment names. */
export const deactivateSegment = (context: Context, place: SegmentPlace) =>
  write(context, (tx) => deactivateSegmentIn(tx, place));

export async function deactivateSegmentIn(tx: RecordingTx, { environment, segment }: SegmentPlace) {
  const place = await lockPlace(tx, environment, await lockSegment(tx, segment));
  await requireUnused(tx, place.segment, place.environment);
  const { keyCount: count } = place.activation;
  if (count > 0) {
    throw new Problem('segment_has_keys', { name: segment.name, environment: place.environment.name, count });
  }
  await deactivate(tx, place);
  return true as const;
}

/** A segment where it is active, with the number of the change that is being made. */
export interface LockedPlace {
  readonly environment: Reference;
  readonly segment: Segment;
  readonly changeNumber: number;
  readonly approvals: Approvals;
  readonly activation: Activation;
}

/** Takes the environment's next change number, which is the lock. Refuses if the segment is not active there. */
export async function lockPlace(tx: Tx, at: Reference, segment: Segment, atLeast?: number): Promise<LockedPlace> {
  const { environment, ...locked } = await nextChangeNumber(tx, at, changed(segment), atLeast);
  return { environment, segment, ...locked, activation: await requireActivation(tx, environment, segment) };
}

/** Refuses if the segment is not active in the environment. */
export async function requireActivation(tx: Tx, environment: Reference, { id, name }: Segment): Promise<Activation> {
  const activation = await store.findActivation(tx, environment.id, id);
  if (!activation) throw new Problem('segment_not_active', { name, environment: environment.name });
  return activation;
}

async function deactivate(tx: RecordingTx, place: LockedPlace) {
  const { environment, segment, changeNumber } = place;
  await store.deleteActivation(tx, environment.id, segment, changeNumber);
  await removeAllKeys(tx, { environmentId: environment.id, segment: segment.name }, changeNumber);
  await tx.record({
    ...entry('segment.deactivated', segment, environment),
    before: toPlaceRecord(place),
    notBefore: changeNumber,
  });
}

const maxListedUsers = 10;

/** Refuses if something in the project, or in the environment, names the segment. */
async function requireUnused(tx: Tx, { projectId, name }: Segment, environment?: Reference): Promise<void> {
  const filter = { projectId, segment: name, environmentId: environment?.id };
  const users = await listSegmentUsers(tx, filter, { offset: 0, limit: maxListedUsers + 1 });
  if (users.length === 0) return;
  const shown = new Set(users.slice(0, maxListedUsers).map((user) => `${user.kind} ${user.name}`));
  if (users.length > maxListedUsers) shown.add('others');
  throw new Problem('segment_in_use', { name, users: [...shown].join(', ') });
}

export async function lockSegment(tx: Tx, { id, name }: Reference): Promise<Segment> {
  const segment = await store.lockSegment(tx, id);
  if (!segment) throw new Problem('segment_not_found', { nameOrId: name });
  return segment;
}

const noticeKinds = { standard: 'segment', large: 'large-segment', rule_based: 'rule-based-segment' } as const;
const changed = ({ kind, name }: Segment): Changed => ({ kind: noticeKinds[kind], name });

/** With its rules, so that a rule-based segment can be restored. */
const toPlaceRecord = (place: Pick<LockedPlace, 'environment' | 'segment' | 'activation'>) =>
  place.segment.kind === 'rule_based'
    ? new JsonText(toRuleBasedText(place))
    : { name: place.segment.name, keyCount: place.activation.keyCount };

export const toRecord = (segment: Segment) => ({ kind: segment.kind, ...toSegmentReply(segment) });

export const entry = (action: Entry['action'], { id, name, projectId }: Segment, environment?: Reference) => ({
  action,
  object: { type: 'segment' as const, id, name },
  project: { id: projectId },
  ...(environment ? { environment } : {}),
});
