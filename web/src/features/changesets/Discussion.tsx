import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { commentChangeset, listChangesets } from '#contract/changesets.ts';
import type { Changeset } from '#domain/changesets.ts';
import { type ChangesetAnswer, keepChangeset, stateWords, titleOf } from '../../changesets/changesets-query.ts';
import { hasBegun } from '../../changesets/schedule-words.ts';
import { EditorName, useEditorName } from '../../kit/EditorName.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { useForm } from '../../kit/form.ts';
import { call, reading } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { useMay, useMe } from '../../server/session.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Discussion.module.css';

type Review = NonNullable<ChangesetAnswer['reviews']>[number];

const eventWords: Readonly<Record<Review['kind'], string>> = {
  comment: '',
  request: 'submitted it',
  edit: 'edited it',
  approve: 'approved it',
  ask: 'asked for changes',
  reject: 'rejected it',
  withdraw: 'withdrew it',
  pause: 'paused the schedule',
  resume: 'resumed the schedule',
  skip: 'skipped the wait for the next step',
  abort: 'aborted the schedule',
  apply: 'applied it',
  fail: 'stopped it',
  expire: 'let it expire',
};

/** Done by the server: the changeset cannot continue, or has expired. */
const ownWords: Partial<Record<Review['kind'], string>> = { fail: 'Failed', expire: 'Expired' };

/** What people said and did, in order. */
export function Discussion({ changeset }: { readonly changeset: ChangesetAnswer }) {
  const { author, createdAt } = changeset;
  const may = useMay();
  const reverts = useReverts(changeset);
  return (
    <section aria-labelledby="discussion" className={styles.part}>
      <h2 id="discussion">Discussion and history</h2>
      <div className={styles.card}>
        <ol>
          <Entry by={author} at={createdAt} what="drafted it" />
          {historyOf(changeset, reverts).map(({ key, ...event }) => (
            <Entry key={key} {...event} />
          ))}
        </ol>
        {may(commentChangeset) && <CommentForm id={changeset.id} />}
      </div>
    </section>
  );
}

interface Happened {
  /** Undefined if nobody did it, or if it is unknown who. */
  readonly by?: Review['by'];
  readonly at: number;
  readonly what: string;
  readonly comment?: string;
  /** The changeset that it is about, if it is another one. */
  readonly about?: Changeset;
}

const maxReverts = 20;

/** Those that take back what it changed, applied or not. */
function useReverts(changeset: ChangesetAnswer): readonly Changeset[] {
  const project = useProject();
  const hasChanged = changeset.status === 'PUBLISHED' || hasBegun(changeset);
  const query = { workspaceId: project.id, reverts: changeset.id, limit: maxReverts };
  const { data } = useQuery({ ...reading(listChangesets, { query }), enabled: hasChanged });
  return (data?.data ?? []) as Changeset[];
}

/** What people said and did, and the steps that the schedule applied, in order. */
function historyOf(changeset: ChangesetAnswer, reverts: readonly Changeset[]): (Happened & { key: string })[] {
  const { reviews = [], schedule, status, publishedAt } = changeset;
  const { steps = [], appliedAt = [] } = schedule ?? {};
  const said = reviews.map(({ by, at, kind, comment }) => {
    const own = by.type === 'system' ? ownWords[kind] : kind === 'apply' && schedule && lastStep(steps.length);
    return {
      key: `${at} ${kind} ${by.id}`,
      at,
      comment,
      ...(own ? { what: own } : { by, what: eventWords[kind] }),
    };
  });
  // With the last step it is applied, which is said already.
  const applied = status === 'PUBLISHED' ? appliedAt.slice(0, -1) : appliedAt;
  const advanced = applied.map((at, index) => ({
    key: `step ${index}`,
    at,
    what: `Step ${index + 1} of ${steps.length + 1} was applied`,
  }));
  // Changesets that earlier versions applied have no such entry.
  const isSaid = publishedAt === undefined || reviews.some(({ kind }) => kind === 'apply');
  const published = isSaid ? [] : [{ key: 'published', at: publishedAt, what: 'Applied' }];
  const reverted = reverts.map((about) => ({
    key: about.id,
    by: about.author,
    at: about.createdAt,
    what: 'drafted a revert',
    about,
  }));
  return [...said, ...advanced, ...published, ...reverted].sort((one, other) => one.at - other.at);
}

/** The schedule did it, with the rights of whoever made the schedule. */
const lastStep = (further: number): string =>
  further === 0 ? 'Applied as scheduled' : `Step ${further + 1} of ${further + 1} was applied`;

function Entry({ by, at, what, comment = '', about }: Happened) {
  const { name: project } = useProject();
  return (
    <li className={styles.entry}>
      {by && <EditorAvatar by={by} />}
      <div className={styles.words}>
        <p>
          {by && (
            <>
              <b>
                <EditorName editor={by} />
              </b>{' '}
            </>
          )}
          <span className={styles.what}>{what}</span>
        </p>
        {about && (
          <p>
            <TextLink to="/p/$project/changesets/$changeset" params={{ project, changeset: about.id }}>
              {titleOf(about)}
            </TextLink>{' '}
            <span className={styles.what}>({stateWords[about.status].label.toLowerCase()})</span>
          </p>
        )}
        {comment !== '' && <p className={styles.comment}>{comment}</p>}
      </div>
      <span className={styles.when}>
        <Time at={at} />
      </span>
    </li>
  );
}

const EditorAvatar = ({ by }: { readonly by: Review['by'] }) => <Avatar name={useEditorName(by)} />;

function CommentForm({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const me = useMe();
  // A new form once it was sent: empty.
  const [sent, setSent] = useState(0);
  const { form, errors, problem, isSending } = useForm({
    rules: {
      comment: {
        check: (value) => (value.trim() === '' ? 'Write something first.' : undefined),
        claim: (complaint) => complaint,
      },
    },
    send: ({ comment }) => call(commentChangeset, { params: { changeset: id }, body: { comment: comment.trim() } }),
    onDone: async (answer) => {
      await keepChangeset(client, answer);
      setSent(sent + 1);
    },
  });
  return (
    <form {...form} className={styles.form}>
      <Avatar name={me.user.name} />
      <div className={styles.field}>
        <TextArea key={sent} name="comment" label="Add a comment" rows={1} maxLength={2_000} error={errors.comment} />
        {problem && <Failure problem={problem} />}
      </div>
      <Button type="submit" isBusy={isSending}>
        Comment
      </Button>
    </form>
  );
}
