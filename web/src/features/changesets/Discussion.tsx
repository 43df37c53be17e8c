import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { commentChangeset } from '#contract/changesets.ts';
import { type ChangesetAnswer, keepChangeset } from '../../changesets/changesets-query.ts';
import { EditorName, useEditorName } from '../../kit/EditorName.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { useMay, useMe } from '../../server/session.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Discussion.module.css';

type Review = NonNullable<ChangesetAnswer['reviews']>[number];

const eventWords: Readonly<Record<Review['kind'], string>> = {
  comment: '',
  request: 'submitted it',
  edit: 'edited it',
  approve: 'approved it',
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

/** Without anybody: the server found that it cannot go on, or that its time is over. */
const ownWords: Partial<Record<Review['kind'], string>> = { fail: 'Failed', expire: 'Expired' };

/** What people said and did, in order. */
export function Discussion({ changeset }: { readonly changeset: ChangesetAnswer }) {
  const { author, createdAt } = changeset;
  const may = useMay();
  return (
    <section aria-labelledby="discussion" className={styles.part}>
      <h2 id="discussion">Discussion and history</h2>
      <div className={styles.card}>
        <ol>
          <Entry by={author} at={createdAt} what="drafted it" />
          {historyOf(changeset).map(({ key, ...event }) => (
            <Entry key={key} {...event} />
          ))}
        </ol>
        {may(commentChangeset) && <CommentForm id={changeset.id} />}
      </div>
    </section>
  );
}

interface Happened {
  /** Undefined: nobody did it, or nobody knows who. */
  readonly by?: Review['by'];
  readonly at: number;
  readonly what: string;
  readonly comment?: string;
}

/** What people said and did, and the steps that the schedule applied, in order. */
function historyOf({ reviews = [], schedule, status, publishedAt }: ChangesetAnswer): (Happened & { key: string })[] {
  const said = reviews.map(({ by, at, kind, comment }) => {
    const own = by.type === 'system' ? ownWords[kind] : undefined;
    return {
      ...{ key: `${at} ${kind} ${by.id}`, at, comment },
      ...(own === undefined ? { by, what: eventWords[kind] } : { what: own }),
    };
  });
  const { steps = [], appliedAt = [] } = schedule ?? {};
  // With the last step it is applied, which is said already.
  const applied = status === 'PUBLISHED' ? appliedAt.slice(0, -1) : appliedAt;
  const advanced = applied.map((at, index) => ({
    ...{ key: `step ${index}`, at, what: `Step ${index + 1} of ${steps.length + 1} was applied` },
  }));
  // Who applied it was not kept at first.
  const isSaid = publishedAt === undefined || reviews.some(({ kind }) => kind === 'apply');
  const published = isSaid ? [] : [{ key: 'published', at: publishedAt, what: 'Applied' }];
  return [...said, ...advanced, ...published].sort((one, other) => one.at - other.at);
}

function Entry({ by, at, what, comment = '' }: Happened) {
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
