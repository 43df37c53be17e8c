/** Mails about changesets, to approvers, authors and schedulers. They are written in the transaction of the change. */
import { v7 as newId } from 'uuid';
import type { Actor } from '#domain/access.ts';
import { isSame, type Person } from '#domain/approvals.ts';
import type { ChangesetState } from '#domain/changesets.ts';
import { type ActivePerson, listActivePeople, listEditors } from '#store/approvals.ts';
import { type ChangesetMail, type ChangesetNews, isAsking, putChangesetMails } from '#store/outbox.ts';
import { reaches } from '#store/scope-filter.ts';
import { actorOfUser } from './actors.ts';
import { listApprovers, maxMailed, type Reviewed } from './approvals.ts';
import type { Entry, RecordingTx } from './context.ts';

interface Happened {
  /** The state before. */
  readonly before: ChangesetState;
  readonly action: Entry['action'];
  /** In the words of the actor. */
  readonly comment?: string | undefined;
  /** The person or key that scheduled it, if its schedule is gone. */
  readonly scheduledBy?: Person | undefined;
}

/** Tells approvers that a changeset waits for them, and its author and scheduler what others did. */
export async function mailAbout(tx: RecordingTx, changeset: Reviewed, happened: Happened): Promise<void> {
  const { status } = changeset.head;
  if (awaiting.includes(status) && !awaiting.includes(happened.before)) {
    await queueMails(tx, changeset, { news: 'requested', people: await listApprovers(tx, changeset), happened });
  }
  const news = acts[happened.action] ?? endings[status];
  if (news) await queueMails(tx, changeset, { news, people: await ownersOf(tx, changeset, happened), happened });
}

/** Tells people who can apply it that it waits for one of them. */
export const askEditors = async (tx: RecordingTx, changeset: Reviewed): Promise<void> => {
  const happened = { before: changeset.head.status, action: 'changeset.requested' } as const;
  await queueMails(tx, changeset, {
    news: 'ready',
    people: await listEditors(tx, changeset.head.id, maxMailed),
    happened,
  });
};

const awaiting: readonly ChangesetState[] = ['REQUESTED', 'SCHEDULE_REQUESTED'];

/** News that is sent whatever the new state is. */
const acts: Readonly<Record<string, ChangesetNews>> = {
  'changeset.approved': 'approved',
  'changeset.asked': 'asked',
  'changeset.aborted': 'aborted',
};

const endings: Partial<Record<ChangesetState, ChangesetNews>> = {
  PUBLISHED: 'published',
  REJECTED: 'rejected',
  WITHDRAWN: 'withdrawn',
  EXPIRED: 'expired',
  FAILED: 'failed',
};

/**
 * The author, and the person who scheduled it, whose rights it is applied with. Not those who acted themselves, API keys,
 * or people who can no longer see the project.
 */
async function ownersOf(
  tx: RecordingTx,
  { head, project }: Reviewed,
  { scheduledBy = head.schedule?.by }: Happened,
): Promise<ActivePerson[]> {
  const owners = [head.author, ...(scheduledBy ? [scheduledBy] : [])];
  const recipients = owners.filter((owner) => owner.type === 'user' && !isSame(owner, tx.actor));
  const people = await listActivePeople(tx, [...new Set(recipients.map(({ id }) => id))]);
  const seeing: ActivePerson[] = [];
  for (const person of people) {
    const { scope } = actorOfUser(person, person.isAdministrator);
    if (await reaches(tx, scope, project.id)) seeing.push(person);
  }
  return seeing;
}

/** What was said about it before, if nothing was said now. */
function wordsFor(news: ChangesetNews, { head, reviews }: Reviewed, actor: Actor): string {
  if (isAsking(news)) return head.comment;
  if (news === 'expired' || news === 'failed' || news === 'aborted') return head.reason ?? '';
  // The approval that published a change request.
  const last = reviews.at(-1);
  return last?.kind === 'approve' && isSame(last.by, actor) ? last.comment : '';
}

interface News {
  readonly news: ChangesetNews;
  readonly people: readonly ActivePerson[];
  readonly happened: Happened;
}

function queueMails(tx: RecordingTx, changeset: Reviewed, { news, people, happened }: News): Promise<void> {
  const { id: changesetId, title, workspace, expiresAt, author } = changeset.head;
  const comment = happened.comment || wordsFor(news, changeset, tx.actor);
  const about: Omit<ChangesetMail, 'email' | 'name'> = {
    kind: 'changeset',
    news,
    changesetId,
    title,
    project: workspace,
    comment,
    by: news === 'ready' ? author.name : tx.actor.name,
    ...(isAsking(news) && expiresAt !== undefined ? { expiresAt } : {}),
  };
  return putChangesetMails(
    tx,
    people.map(({ id: userId, email, name }) => {
      const isScheduler = !isAsking(news) && !isSame(author, { type: 'user', id: userId });
      return { id: newId(), userId, mail: { ...about, email, name, ...(isScheduler ? { isScheduler } : {}) } };
    }),
  );
}
