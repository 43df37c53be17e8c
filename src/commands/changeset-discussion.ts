/** What people say about a changeset and do with it, as its page shows it. */
import { v7 as newId } from 'uuid';
import { maxReviews } from '#domain/approvals.ts';
import { refuse } from '#domain/problems.ts';
import { insertReview, type StoredReview, voidApprovals } from '#store/approvals.ts';
import type { Reviewed } from './approvals.ts';
import type { RecordingTx } from './context.ts';

/** Adds to what people said about it; returns it with that. Refuses if they said too much. */
export async function review(tx: RecordingTx, changeset: Reviewed, said: Said): Promise<Reviewed> {
  const { head, reviews } = changeset;
  refuse(
    'changeset_invalid',
    reviews.length >= maxReviews ? [`a changeset must not have more than ${maxReviews} comments and reviews`] : [],
  );
  return { ...changeset, reviews: [...reviews, await addReview(tx, { id: head.id, reviews }, said)] };
}

/** An act is not refused because people said too much. Then only the audit log has it. */
export const withAct = async (
  tx: RecordingTx,
  { id, reviews }: Discussed,
  said: Said,
): Promise<readonly StoredReview[]> =>
  reviews.length < maxReviews ? [...reviews, await addReview(tx, { id, reviews }, said)] : reviews;

interface Discussed {
  readonly id: string;
  readonly reviews: readonly StoredReview[];
}

type Said = Pick<StoredReview, 'kind' | 'comment'> & { readonly contentHash?: string };

async function addReview(tx: RecordingTx, { id, reviews }: Discussed, said: Said): Promise<StoredReview> {
  const { kind, comment, contentHash } = said;
  const { type, id: actorId, name } = tx.actor;
  // Later than the last, even if the clock went back: they are shown in their order.
  const at = Math.max(tx.now, reviews.at(-1)?.at ?? 0);
  const added: StoredReview = { id: newId(), kind, comment, at, by: { type, id: actorId, name }, contentHash };
  await insertReview(tx, id, added);
  return added;
}

/** Voids all approvals, because somebody edits the content. */
export async function withoutApprovals<Changed extends Reviewed>(
  tx: RecordingTx,
  changeset: Changed,
): Promise<Changed> {
  await voidApprovals(tx, changeset.head.id);
  const reviews = changeset.reviews.map((one) =>
    one.kind === 'approve' && one.voidedAt === undefined ? { ...one, voidedAt: tx.now } : one,
  );
  return { ...changeset, reviews };
}
