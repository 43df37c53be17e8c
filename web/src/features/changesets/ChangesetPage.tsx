import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense, useMemo, useState } from 'react';
import {
  type ChangesetAnswer,
  changesetReading,
  isOpen,
  isScheduled,
  planReading,
  titleOf,
} from '../../changesets/changesets-query.ts';
import { hasBegun } from '../../changesets/schedule-words.ts';
import { EditorName, useEditorName } from '../../kit/EditorName.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { useEnvironments, useProject } from '../../server/project.ts';
import { lazyPart } from '../../state/lazy.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { CrumbLink, Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Expiry, Time } from '../../ui/Time.tsx';
import { Approvals } from './Approvals.tsx';
import styles from './ChangesetPage.module.css';
import { Checks } from './Checks.tsx';
import { type Act, DecisionBar } from './DecisionBar.tsx';
import { Discussion } from './Discussion.tsx';
import { rampOf } from './ramp-over.ts';
import { Schedule } from './Schedule.tsx';
import { StateChip } from './StateChip.tsx';
import { Summary } from './Summary.tsx';
import { useActs } from './use-acts.ts';

const Operations = lazyPart('Operations', () => import('./Operations.tsx'));
const WhoMoves = lazyPart('WhoMoves', () => import('./WhoMoves.tsx'));
const ScheduleDialog = lazyPart('ScheduleDialog', () => import('./ScheduleDialog.tsx'));
const ActDialog = lazyPart('ActDialog', () => import('./ActDialog.tsx'));

/** One changeset: what it does, who says what about it, and what can be done with it. */
export function ChangesetPage() {
  const { changeset: id } = useParams({ from: '/shell/p/$project/changesets/$changeset' });
  const project = useProject();
  const found = useQuery({ ...changesetReading(id), retry: false });
  if (found.error?.status === 404) {
    return (
      <Page>
        <PageHead title="No such changeset" crumbs={<Crumbs />} within={project.name} />
        <EmptyState title="This changeset does not exist">It may be of another project, or not open to you.</EmptyState>
      </Page>
    );
  }
  return (
    <Loaded
      query={found}
      skeleton={
        <Page>
          <PageHead title="Changeset" crumbs={<Crumbs />} within={project.name} />
          <SkeletonRows />
        </Page>
      }
    >
      {(changeset) => <Loading key={id} changeset={changeset} />}
    </Loaded>
  );
}

function Crumbs() {
  const params = { project: useProject().name };
  return (
    <>
      <CrumbLink to="/p/$project/flags" params={params}>
        {params.project}
      </CrumbLink>
      <CrumbLink to="/p/$project/changesets" params={params}>
        Changesets
      </CrumbLink>
    </>
  );
}

function Loading({ changeset }: { readonly changeset: ChangesetAnswer }) {
  const project = useProject();
  const plan = useQuery(planReading(changeset.id));
  const [act, setAct] = useState<Act>();
  const [isScheduling, setScheduling] = useState(false);
  const ramp = useMemo(() => plan.data && rampOf(changeset, plan.data), [changeset, plan.data]);
  const acts = useActs(changeset, plan.data, ramp !== undefined);
  const isPending = isOpen(changeset) || isScheduled(changeset);
  return (
    <Page>
      <PageHead
        title={titleOf(changeset)}
        within={project.name}
        crumbs={<Crumbs />}
        beside={<StateChip changeset={changeset} />}
        tools={
          <>
            {acts.edit !== 'hidden' && (
              <Button refusal={acts.edit} onClick={() => setAct('edit')}>
                Edit title
              </Button>
            )}
            {acts.withdraw !== 'hidden' && (
              <Button refusal={acts.withdraw} onClick={() => setAct('withdraw')}>
                {changeset.status === 'DRAFT' ? 'Discard' : 'Withdraw'}
              </Button>
            )}
            {acts.revert !== 'hidden' && <Button onClick={() => setAct('revert')}>Revert</Button>}
          </>
        }
        lead={changeset.comment !== '' && <p className={styles.comment}>{changeset.comment}</p>}
      />
      <Origin changeset={changeset} />
      <Ending changeset={changeset} />
      <div className={styles.columns}>
        <div className={styles.main}>
          {isPending && !hasBegun(changeset) && plan.data && <Summary plan={plan.data} />}
          <Suspense fallback={<SkeletonRows />}>
            <Operations changeset={changeset} plan={plan} />
          </Suspense>
          <Suspense>{isPending && plan.data && <WhoMoves plan={plan.data} />}</Suspense>
          <Discussion changeset={changeset} />
        </div>
        <aside className={styles.rail} aria-label="Approvals, checks and schedule">
          <Approvals changeset={changeset} plan={plan.data} />
          {isPending && plan.data && <Checks plan={plan.data} />}
          <Schedule
            changeset={changeset}
            change={ramp && changeset.schedule?.steps.length ? 'Edit plan' : 'Change the time'}
            onChange={acts.schedule === undefined ? () => setScheduling(true) : undefined}
          />
        </aside>
      </div>
      {isPending && plan.data && (
        <DecisionBar {...{ changeset, acts }} plan={plan.data} onAct={setAct} onSchedule={() => setScheduling(true)} />
      )}
      <Suspense>
        {isScheduling && (
          <ScheduleDialog
            {...{ changeset, ramp }}
            needsApproval={plan.data?.approvals.some(({ without }) => !without) ?? false}
            onClose={() => setScheduling(false)}
          />
        )}
      </Suspense>
      <Suspense>{act && <ActDialog act={act} changeset={changeset} onClose={() => setAct(undefined)} />}</Suspense>
    </Page>
  );
}

/** How it ended, unless it was applied, and who ended it. */
function Ending({ changeset: { status, reason, reviews = [] } }: { readonly changeset: ChangesetAnswer }) {
  if (reason === undefined) return null;
  const last = reviews.findLast(({ kind }) => kind === (status === 'REJECTED' ? 'reject' : 'abort'));
  if (status === 'REJECTED' && last) {
    return (
      <Notice kind="danger">
        <EditorName editor={last.by} /> rejected it{last.comment === '' ? '.' : `: ${last.comment}`}
      </Notice>
    );
  }
  if (status === 'WITHDRAWN') {
    return (
      <Notice kind="plain">
        {reason}
        {last && (
          <>
            {' '}
            by <EditorName editor={last.by} />
          </>
        )}
        . What was applied stays.
      </Notice>
    );
  }
  return <Notice kind={status === 'EXPIRED' ? 'plain' : 'danger'}>{reason}</Notice>;
}

/** Who proposed it, when, where it applies, and what it takes back. */
function Origin({ changeset }: { readonly changeset: ChangesetAnswer }) {
  const project = useProject();
  const environments = useEnvironments();
  const touched = environments.filter(({ id }) =>
    changeset.operations.some(({ environment }) => environment?.id === id),
  );
  const name = useEditorName(changeset.author);
  return (
    <div className={styles.origin}>
      <Avatar name={name} />
      <span>
        <EditorName editor={changeset.author} />, <Time at={changeset.createdAt} />
      </span>
      {touched.map(({ id, name: environment, production }) => (
        <span key={id} className={styles.place}>
          <b>{environment}</b> {production && <ProdChip />}
        </span>
      ))}
      {changeset.reverts !== undefined && (
        <span>
          takes back{' '}
          <TextLink
            to="/p/$project/changesets/$changeset"
            params={{ project: project.name, changeset: changeset.reverts }}
          >
            another changeset
          </TextLink>
        </span>
      )}
      {changeset.expiresAt !== undefined && (
        <span className={styles.quiet}>
          <Expiry at={changeset.expiresAt} />
        </span>
      )}
      {changeset.publishedAt !== undefined && (
        <span className={styles.quiet}>
          applied <Time at={changeset.publishedAt} />
        </span>
      )}
    </div>
  );
}
