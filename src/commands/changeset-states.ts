/** A changeset inside a transaction: found or locked with what people said about it, and stored in its next state. */
import type { Actor } from '#domain/access.ts';
import { isSame, type Person } from '#domain/approvals.ts';
import {
  type Changeset,
  type ChangesetState,
  expiringStates,
  openStates,
  type PlacedOperation,
  scheduleAs,
  toChangeset,
} from '#domain/changesets.ts';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { nextRevision, requireMatch, withoutRevision } from '#domain/revisions.ts';
import { listReviews, type StoredReview } from '#store/approvals.ts';
import * as store from '#store/changesets.ts';
import { endLease } from '#store/large-segments.ts';
import { findProjectById } from '#store/projects.ts';
import { definitionTag } from '#store/sql.ts';
import { requirePermission } from './actors.ts';
import { listActors, neededApprovals, type Reviewed } from './approvals.ts';
import { withAct } from './changeset-discussion.ts';
import { askEditors, mailAbout } from './changeset-mails.ts';
import { byGrant } from './changeset-operations.ts';
import type { Entry, RecordingTx } from './context.ts';

export async function findIn(tx: RecordingTx, id: string): Promise<Reviewed> {
  const head = await store.findChangeset(tx, id, tx.actor);
  const project = head && (await findProjectById(tx, head.workspace.id));
  if (!head || !project) throw new Problem('changeset_not_found', { nameOrId: id });
  const operations = (await store.listOperations(tx, [id])).get(id) ?? [];
  return { head, project, operations, reviews: await listReviews(tx, id) };
}

/** Refuses one that is in another state, has begun, or is not the revision that the actor has seen. */
export async function lockOpen(
  tx: RecordingTx,
  id: string,
  ifMatch: string | undefined,
  states: readonly ChangesetState[] = openStates,
  verb = 'changed or applied',
): Promise<Reviewed> {
  const found = await lockIn(tx, id, ifMatch, states, verb);
  requireNotRunning(found, verb);
  return found;
}

export function requireNotRunning({ head }: Reviewed, verb: string): void {
  if (isRunning(head)) throw new Problem('changeset_state', { status: 'running', needed: 'not', verb });
}

/** The same, also if some of its steps were applied. */
export async function lockIn(
  tx: RecordingTx,
  id: string,
  ifMatch: string | undefined,
  states: readonly ChangesetState[],
  verb: string,
): Promise<Reviewed> {
  await store.lockChangeset(tx, id);
  const found = await findIn(tx, id);
  requireMatch(ifMatch, found.head);
  const { status } = found.head;
  if (!states.includes(status)) throw new Problem('changeset_state', { status, needed: states.join(' or '), verb });
  return found;
}

/** Some of its steps were applied. */
export const isRunning = ({ schedule }: store.ChangesetHead): boolean => (schedule?.appliedAt.length ?? 0) > 0;

interface Saved {
  readonly action: Entry['action'];
  readonly status: ChangesetState;
  /** In the words of the actor. */
  readonly comment?: string;
  /** If the content changed. */
  readonly before?: Changeset;
  /** The person or key that scheduled it, if its schedule is gone. */
  readonly scheduledBy?: Person;
}

/** Stores the changeset in its new state, with an audit entry, and notifies the people concerned. */
export async function saveAs(
  tx: RecordingTx,
  { project, head, operations, reviews }: Reviewed,
  { action, status, comment, before, scheduledBy }: Saved,
): Promise<Changeset> {
  const { expiresAt, schedule, dueAt: _, ...rest } = head;
  const after: store.ChangesetHead = {
    ...rest,
    status,
    ...(schedule ? scheduleAs(status, schedule) : {}),
    ...(expiresAt !== undefined && expiringStates.includes(status) ? { expiresAt } : {}),
    updatedAt: tx.now,
    revision: nextRevision(tx.now, head.revision),
  };
  const awaitsEditor = status === 'APPROVED' && !(await mayAuthorApply(tx, { project, head, operations }));
  await store.saveChangeset(tx, after, awaitsEditor);
  if (!openStates.includes(status)) {
    for (const { edit } of operations) if (edit.list) await endLease(tx, edit.list.id);
  }
  const act = acts[action];
  const acted = act ? await withAct(tx, { id: head.id, reviews }, { kind: act, comment: comment ?? '' }) : reviews;
  const changeset = toChangeset(after, operations);
  await tx.record({
    ...entry(action, changeset),
    ...(comment ? { note: { title: head.title, comment } } : {}),
    before: before ? withoutRevision(before) : { status: head.status },
    after: before || status === 'PUBLISHED' ? withoutRevision(changeset) : { status },
  });
  const changed = { project, head: after, operations, reviews };
  await mailAbout(tx, changed, { before: head.status, action, comment, scheduledBy });
  const isNewlyAwaited = awaitsEditor && head.status !== status;
  if (isNewlyAwaited && (isSame(head.author, tx.actor) || !(await mayApply(tx, tx.actor, changed)))) {
    await askEditors(tx, changed);
  }
  return { ...changeset, reviews: [...acted] };
}

/** What is done with a changeset beyond reviewing it, as its discussion has it. */
const acts: Readonly<Record<string, StoredReview['kind']>> = {
  'changeset.published': 'apply',
  'changeset.paused': 'pause',
  'changeset.resumed': 'resume',
  'changeset.skipped': 'skip',
  'changeset.aborted': 'abort',
  'changeset.failed': 'fail',
  'changeset.expired': 'expire',
};

export const entry = (action: Entry['action'], changeset: Changeset): Entry => ({
  action,
  object: { type: 'changeset', id: changeset.id, name: changeset.title },
  project: changeset.workspace,
  note: { title: changeset.title, comment: changeset.comment },
  ...touchedBy(changeset),
});

/** Replies that show changesets are not cached; those that show the object of a change request are. */
function touchedBy({ operationType, operations: [first] }: Changeset): Pick<Entry, 'touches'> {
  if (operationType === undefined || !first?.environment) return { touches: 'nothing' };
  return first.flag ? { touches: definitionTag(first.environment.id, first.flag.id) } : {};
}

/** Of a request: whether it has what it needs. The actor may be allowed to skip approvals; the request is not. */
export async function requestedStateOf(tx: RecordingTx, changeset: Reviewed): Promise<ChangesetState> {
  const needed = await neededApprovals(tx, tx.actor, changeset);
  const isApproved = needed.every(({ isGiven, without }) => isGiven || without === 'kill');
  if (changeset.head.schedule) return isApproved ? 'SCHEDULED' : 'SCHEDULE_REQUESTED';
  return isApproved ? 'APPROVED' : 'REQUESTED';
}

/** The author, or whoever could apply it. */
export async function requireMayEdit(tx: RecordingTx, { head, project, operations }: Reviewed): Promise<void> {
  if (isSame(head.author, tx.actor)) return;
  await requireMayApply(tx, project, operations);
}

type Applied = Pick<Reviewed, 'project' | 'operations'>;

/** Whether the actor could make each of the changes alone. */
export async function mayApply(tx: RecordingTx, actor: Actor, { project, operations }: Applied): Promise<boolean> {
  try {
    for (const { grant } of byGrant(project, operations)) await requirePermission(tx, actor, grant);
    return true;
  } catch (refusal) {
    if (!(refusal instanceof Problem)) throw refusal;
    return false;
  }
}

export async function mayAuthorApply(tx: RecordingTx, changeset: Applied & Pick<Reviewed, 'head'>): Promise<boolean> {
  const [author] = await listActors(tx, [changeset.head.author]);
  return author !== undefined && mayApply(tx, author, changeset);
}

/** Refuses unless the actor could make each of the changes alone. */
export async function requireMayApply(tx: RecordingTx, project: Project, operations: readonly PlacedOperation[]) {
  for (const { grant } of byGrant(project, operations)) await requirePermission(tx, tx.actor, grant);
}
