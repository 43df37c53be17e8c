import { permissionsOf } from '#domain/access.ts';
import { scheduledStates } from '#domain/changesets.ts';
import { nextRevision } from '#domain/revisions.ts';
import { stepsDone } from '#domain/schedules.ts';
import { listReviews } from '#store/approvals.ts';
import { findChangeset, listOperations, lockChangeset, saveChangeset, type Viewer } from '#store/changesets.ts';
import { findProjectById } from '#store/projects.ts';
import { type DefinitionPlace, listRunningRamps } from '#store/schedules.ts';
import { withAct } from './changeset-discussion.ts';
import { mailAbout } from './changeset-mails.ts';
import type { RecordingTx } from './context.ts';

/**
 * Ends the ramps that have begun to change a definition, because somebody killed it. The environment is locked, and a
 * step that is being applied locks its changeset first: if both meet, PostgreSQL ends one of them, which is tried again.
 */
export async function stopRampsIn(
  tx: RecordingTx,
  place: DefinitionPlace,
  names: { readonly flag: string; readonly environment: string },
): Promise<void> {
  for (const id of await listRunningRamps(tx, place)) {
    // A ramp may kill as its last step.
    if (id === tx.changesetId) continue;
    await lockChangeset(tx, id);
    const head = await findChangeset(tx, id, everything);
    if (!head?.schedule || !scheduledStates.includes(head.status)) continue;
    const { expiresAt: _, ...rest } = head;
    const reason = `${tx.actor.name} killed ${names.flag} in ${names.environment} after ${stepsDone(head.schedule)}`;
    const revision = nextRevision(tx.now, head.revision);
    const failed = { ...rest, status: 'FAILED' as const, reason, updatedAt: tx.now, revision };
    await saveChangeset(tx, failed);
    await tx.record({
      action: 'changeset.failed',
      object: { type: 'changeset', id, name: head.title },
      project: head.workspace,
      note: { title: head.title, comment: reason },
      before: { status: head.status },
      after: { status: 'FAILED', reason },
      // Replies that show changesets are not cached.
      touches: 'nothing',
    });
    const project = await findProjectById(tx, head.workspace.id);
    if (!project) continue;
    const operations = (await listOperations(tx, [id])).get(id) ?? [];
    const reviews = await listReviews(tx, id);
    await withAct(tx, { id, reviews }, { kind: 'fail', comment: reason });
    const changed = { head: failed, project, operations, reviews };
    await mailAbout(tx, changed, { before: head.status, action: 'changeset.failed' });
  }
}

/** The right to kill the definition is enough to end its ramps, even those that also change other environments. */
const everything: Viewer = { scope: { kind: 'account' }, permissions: permissionsOf(['API_ALL_GRANTED']) };
