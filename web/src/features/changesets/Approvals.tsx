import { Lock } from 'lucide-react';
import type { NeededApproval } from '#domain/approvals.ts';
import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import { type ChangesetAnswer, isBy, isOpen, isScheduled } from '../../changesets/changesets-query.ts';
import { EditorName, useEditorName } from '../../kit/EditorName.tsx';
import { useMe } from '../../server/session.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Approvals.module.css';

interface Props {
  readonly changeset: ChangesetAnswer;
  /** Undefined while it loads. */
  readonly plan: ChangesetPlan | undefined;
}

type Review = NonNullable<ChangesetAnswer['reviews']>[number];

/** Which approvals it needs, and who gave them. An edit keeps earlier ones in the list, as void. */
export function Approvals({ changeset, plan }: Props) {
  const { reviews = [], approvers } = changeset;
  const given = reviews.filter(({ kind }) => kind === 'approve' || kind === 'reject');
  const needed = plan?.approvals ?? [];
  const isPast = !isOpen(changeset) && !isScheduled(changeset);
  const missing = needed.filter(({ isGiven, without }) => !isGiven && !without).length;
  if ((isPast || !plan) && given.length === 0) return null;
  return (
    <section aria-labelledby="approvals" className={styles.part}>
      <div className={styles.head}>
        <h2 id="approvals">Approvals</h2>
        {!isPast && plan && needed.length > 0 && (
          <span className={styles.quiet}>{missing === 0 ? 'Nothing missing' : `${missing} missing`}</span>
        )}
      </div>
      <div className={styles.card}>
        {plan && needed.length === 0 && !isPast && (
          <p className={styles.row}>None needed: none of its environments requires one.</p>
        )}
        {!isPast && needed.map((one) => <Needed key={one.environment.id} approval={one} />)}
        {given.map((review) => (
          <Given key={`${review.at} ${review.by.id}`} review={review} />
        ))}
        {approvers.length > 0 && <p className={styles.row}>Asked: {approvers.join(', ')}</p>}
        {!isPast && needed.length > 0 && <Rule changeset={changeset} />}
      </div>
    </section>
  );
}

const withoutWords = {
  kill: 'Kills need none here',
  skipped: 'You can skip it',
} as const;

const Needed = ({ approval: { environment, isGiven, without } }: { readonly approval: NeededApproval }) => (
  <div className={styles.row}>
    <div className={styles.words}>
      <b>{environment.name}</b>
      <span className={styles.quiet}>One approval</span>
    </div>
    {isGiven ? (
      <Chip kind="ok" mark="dot">
        Given
      </Chip>
    ) : (
      <Chip kind={without ? 'plain' : 'accent'} mark="ring">
        {without ? withoutWords[without] : 'Missing'}
      </Chip>
    )}
  </div>
);

function Given({ review: { by, at, kind, voidedAt } }: { readonly review: Review }) {
  const me = useMe();
  const name = useEditorName(by);
  return (
    <div className={styles.row}>
      <Avatar name={name} />
      <div className={styles.words}>
        <span className={voidedAt === undefined ? styles.name : styles.quiet}>
          <EditorName editor={by} />
          {isBy(me, by) && <span className={styles.quiet}> you</span>}
        </span>
        <span className={styles.quiet}>
          <Time at={at} />
          {voidedAt !== undefined && ', before an edit'}
        </span>
      </div>
      {kind === 'reject' ? (
        <Chip kind="danger" mark="dot">
          Rejected
        </Chip>
      ) : voidedAt === undefined ? (
        <Chip kind="ok" mark="dot">
          Approved
        </Chip>
      ) : (
        <Chip mark="dot">Void</Chip>
      )}
    </div>
  );
}

const Rule = ({ changeset }: Pick<Props, 'changeset'>) => (
  <p className={styles.rule}>
    <Lock size={14} aria-hidden />
    <span>
      Approvals are for what it contains now. Any edit voids them. Neither <EditorName editor={changeset.author} /> nor
      anyone who edited it can approve it.
    </span>
  </p>
);
