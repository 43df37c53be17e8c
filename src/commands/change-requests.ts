/**
 * The vendor's change requests: changesets about one object, published as soon as nothing is missing.
 *
 * Of an object in an environment, one can wait for an approval. The object's row is locked before that is checked.
 */
import { allows } from '#domain/access.ts';
import { instantOf } from '#domain/calendar.ts';
import type { Decision, OperationType } from '#domain/change-requests.ts';
import type { Changeset, PlacedOperation, WantedOperation } from '#domain/changesets.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { complaintAboutInstant } from '#domain/ramps.ts';
import type { LocalTime } from '#domain/schedules.ts';
import { hashOf, newToken } from '#security/secrets.ts';
import { findPending } from '#store/change-requests.ts';
import { findChangeset, replaceOperations } from '#store/changesets.ts';
import { roleMissing } from './actors.ts';
import { neededApprovals, type Reviewed } from './approvals.ts';
import { review } from './changeset-discussion.ts';
import { grantFor, lockObjects, placeOperations } from './changeset-operations.ts';
import {
  approveChangesetIn,
  commentChangesetIn,
  type Remarked,
  rejectChangesetIn,
  requireOpenApprovers,
  withdrawChangesetIn,
} from './changeset-reviews.ts';
import { findIn, lockOpen, mayApply, mayAuthorApply, requireMayApply, saveAs } from './changeset-states.ts';
import { applyChangesetIn, applyLockedIn, insertIn } from './changesets.ts';
import { type Context, type RecordingTx, write } from './context.ts';
import { insertRequest, type StoredList } from './large-segments.ts';
import { scheduleChangesetIn } from './schedules.ts';

export interface NewRequest {
  readonly project: Project;
  readonly operationType: OperationType;
  readonly operations: readonly WantedOperation[];
  readonly note: Note;
  readonly approvers: readonly string[];
  /** When it is published, if not as soon as nothing is missing. */
  readonly at: LocalTime | undefined;
  /** How long it waits. */
  readonly lifeMs: number;
}

export interface Submitted {
  readonly id: string;
  /** With it, anyone can send the file, once and within a few minutes. */
  readonly token?: string;
}

/** Publishes the change, or asks for the approvals that it needs. An upload does so when its file has arrived. */
export const submitChangeRequest = (context: Context, request: NewRequest): Promise<Submitted> =>
  write(context, (tx) => submitChangeRequestIn(tx, request));

export async function submitChangeRequestIn(tx: RecordingTx, request: NewRequest): Promise<Submitted> {
  const { project, operationType, note } = request;
  const { title = '', comment = '' } = note;
  const operations = await placeOperations(tx, tx.actor, project, request.operations);
  await requireRoles(tx, project, operations);
  await requireOpenApprovers(tx, { operations }, request.approvers);
  await lockObjects(tx, project, operations);
  await requireNonePending(tx, operations);
  const approvers = [...request.approvers];
  const head = { project, title, comment, operationType, approvers, expiresAt: tx.now + request.lifeMs };
  const drafted = await insertIn(tx, head, operations);
  const { id } = drafted.head;
  if (request.at) {
    const { at, lifeMs } = request;
    const complaint = complaintAboutInstant(Number(instantOf(at.time, at.zone)), tx.now);
    refuse('request_invalid', complaint === undefined ? [] : [`scheduledFor ${complaint}`]);
    await scheduleChangesetIn(tx, id, { at, approvers, lifeMs, ifMatch: undefined });
    return { id };
  }
  if (operationType !== 'UPLOAD') {
    await proceedIn(tx, drafted);
    return { id };
  }
  const [operation] = operations;
  if (!operation?.environment) throw new Error('an upload names a segment in an environment');
  const token = newToken();
  const place = { environment: operation.environment, segment: operation.object, note };
  await insertRequest(tx, place, { id, operation: 'UPLOAD', tokenHash: hashOf(token) });
  return { id, token };
}

/** The file of an upload has arrived. Refuses if the request was withdrawn, or another one waits meanwhile. */
export async function receiveListIn(tx: RecordingTx, id: string, list: StoredList): Promise<Changeset> {
  const found = await lockOpen(tx, id, undefined, ['DRAFT'], 'filled with a file');
  const { firstKeys, ...stored } = list;
  const edit = { kind: 'uploadKeys' as const, keys: [...firstKeys], list: stored };
  const operations = found.operations.map((operation) => ({ ...operation, edit }));
  await lockObjects(tx, found.project, operations);
  await requireNonePending(tx, operations);
  await replaceOperations(tx, id, operations);
  return proceedIn(tx, { ...found, operations });
}

async function proceedIn(tx: RecordingTx, found: Reviewed): Promise<Changeset> {
  const needed = await neededApprovals(tx, tx.actor, found);
  if (needed.every(({ isGiven, without }) => isGiven || without)) {
    await requireMayApply(tx, found.project, found.operations);
    return applyLockedIn(tx, found);
  }
  const requested = await review(tx, found, { kind: 'request', comment: '' });
  return saveAs(tx, requested, { action: 'changeset.requested', status: 'REQUESTED' });
}

/** Approves, rejects, withdraws or publishes it. The last approval that it needs publishes it. */
export const decideChangeRequest = (context: Context, id: string, decision: Decision): Promise<void> =>
  write(context, (tx) => decideChangeRequestIn(tx, id, decision));

export async function decideChangeRequestIn(
  tx: RecordingTx,
  id: string,
  { status, comment = '' }: Decision,
): Promise<void> {
  const head = await findChangeset(tx, id, tx.actor);
  if (head?.operationType === undefined) throw new Problem('change_request_not_found', { nameOrId: id });
  await decisions[status](tx, id, { comment });
}

const decisions: Readonly<
  Record<Decision['status'], (tx: RecordingTx, id: string, remark: Remarked) => Promise<unknown>>
> = {
  APPROVED: async (tx, id, remark) => {
    const { status } = await approveChangesetIn(tx, id, remark).catch(asVendorSays(tx));
    if (status !== 'APPROVED') return;
    const found = await findIn(tx, id);
    // Otherwise it waits for somebody who can.
    if ((await mayApply(tx, tx.actor, found)) || (await mayAuthorApply(tx, found))) await applyLockedIn(tx, found);
  },
  REJECTED: (tx, id, remark) => rejectChangesetIn(tx, id, remark).catch(asVendorSays(tx)),
  WITHDRAWN: withdrawChangesetIn,
  PUBLISHED: async (tx, id, { comment = '' }) => {
    if (comment !== '') await commentChangesetIn(tx, id, comment);
    await applyChangesetIn(tx, id, undefined);
  },
};

/** Its clients know 401 from a key that is no approver. */
const asVendorSays =
  ({ actor }: RecordingTx) =>
  (error: unknown): never => {
    const isNoApprover = error instanceof Problem && error.code === 'changeset_not_approver';
    throw isNoApprover ? new Problem('change_request_not_approver', { name: actor.name }) : error;
  };

/** Anyone whose role could make the change can ask for it, whatever their rights there. */
async function requireRoles(tx: RecordingTx, project: Project, operations: readonly PlacedOperation[]): Promise<void> {
  for (const operation of operations) {
    const { access } = grantFor(project, operation);
    if (!allows(tx.actor, access)) throw await roleMissing(tx, tx.actor, access);
  }
}

/** Refuses if another change request about the same object waits. The object must be locked. */
async function requireNonePending(tx: RecordingTx, [operation]: readonly PlacedOperation[]): Promise<void> {
  const pending = operation && (await findPending(tx, operation));
  if (pending !== undefined) throw new Problem('change_request_pending', { id: pending });
}
