import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { commentChangeset } from '#contract/changesets.ts';
import { type ChangesetAnswer, keepChangeset } from '../../changesets/changesets-query.ts';
import { hasBegun } from '../../changesets/schedule-words.ts';
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
};

/** What people said and did, in order. */
export function Discussion({ changeset }: { readonly changeset: ChangesetAnswer }) {
  const { reviews = [], author, createdAt, publishedAt } = changeset;
  const may = useMay();
  return (
    <section aria-labelledby="discussion" className={styles.part}>
      <h2 id="discussion">Discussion and history</h2>
      <div className={styles.card}>
        <ol>
          <Entry by={author} at={createdAt} what="drafted it" />
          {reviews.map(({ by, at, kind, comment }) => (
            <Entry
              key={`${at} ${kind} ${by.id}`}
              {...{ by, at, comment }}
              what={kind === 'withdraw' && hasBegun(changeset) ? 'ended it' : eventWords[kind]}
            />
          ))}
          {publishedAt !== undefined && (
            <li className={styles.entry}>
              <span className={styles.what}>Applied</span>
              <span className={styles.when}>
                <Time at={publishedAt} />
              </span>
            </li>
          )}
        </ol>
        {may(commentChangeset) && <CommentForm id={changeset.id} />}
      </div>
    </section>
  );
}

interface EntryProps {
  readonly by: Review['by'];
  readonly at: number;
  readonly what: string;
  readonly comment?: string;
}

function Entry({ by, at, what, comment = '' }: EntryProps) {
  return (
    <li className={styles.entry}>
      <Avatar name={useEditorName(by)} />
      <div className={styles.words}>
        <p>
          <b>
            <EditorName editor={by} />
          </b>{' '}
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
