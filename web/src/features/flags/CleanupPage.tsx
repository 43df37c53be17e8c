import { useQueries } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { SlidersHorizontal } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { changeCleanupPolicy, listCleanup } from '#contract/cleanup.ts';
import type { CleanupFlag, CleanupGroup } from '#domain/cleanup.ts';
import { useOwnerNames } from '../../administration/owner-names.ts';
import { Failure } from '../../kit/Failure.tsx';
import { type Answer, reading } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterButton } from '../../ui/FilterButton.tsx';
import { focusWhenLost } from '../../ui/focus.ts';
import { Page, PageHead } from '../../ui/Page.tsx';
import { Picker } from '../../ui/Picker.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import styles from './Cleanup.module.css';
import { PolicyDialog } from './CleanupDialogs.tsx';
import { CleanupScatter } from './CleanupScatter.tsx';
import { CleanupSelection } from './CleanupSelection.tsx';
import { CleanupTable } from './CleanupTable.tsx';
import { useFailedFlags } from './each-flag.ts';

const BulkFailures = lazy(() => import('./BulkReport.tsx').then((module) => ({ default: module.BulkFailures })));

/** Next steps, the easiest first. */
const groups: readonly { readonly group: CleanupGroup; readonly title: string; readonly lead: string }[] = [
  { group: 'safe', title: 'Safe to remove', lead: 'No SDK asks for them, and no scanned code names them.' },
  {
    group: 'code',
    title: 'Remove from code first',
    lead: 'They look finished, but code may still ask. Replace the call with the treatment.',
  },
  { group: 'killed', title: 'Killed for long', lead: 'Decide whether they come back.' },
  {
    group: 'rules',
    title: 'Rules to fix',
    lead: 'A rule names a segment that does not exist, or a date that has passed.',
  },
];

/** Flags that look finished, with the evidence. */
export function CleanupPage() {
  const project = useProject();
  const { owner } = useSearch({ strict: false }) as { readonly owner?: string };
  const navigate = useNavigate();
  const [pages, setPages] = useState(1);
  const answers = useQueries({
    queries: Array.from({ length: pages }, (_, page) => ({
      ...reading(listCleanup, {
        params: { project: project.id },
        query: { owner, offset: page * limit, limit, points: page === 0 ? 'true' : undefined },
      }),
    })),
  });
  const [first] = answers;
  const flags = answers.flatMap(({ data }) => data?.objects ?? []);
  const [isChanging, setChanging] = useState(false);
  const failed = useFailedFlags();
  const refusal = useWhyNot()(changeCleanupPolicy);
  const choose = (id: string | undefined) =>
    void navigate({ to: '/p/$project/cleanup', params: { project: project.name }, search: { owner: id } });
  const data = first?.data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focused row may have left with the old answer
  useEffect(focusWhenLost, [data]);
  return (
    <Page>
      <PageHead
        title="Cleanup"
        within={project.name}
        lead="Flags that look finished, with the evidence. Permanent flags never appear here."
        tools={
          <>
            <OwnerFilter flags={flags} owner={owner} onChoose={choose} />
            {data && (
              <Button refusal={refusal} onClick={() => setChanging(true)}>
                <SlidersHorizontal size={14} strokeWidth={1.75} aria-hidden /> Limits: {data.policy.oneTreatmentDays}{' '}
                and {data.policy.ageDays} days
              </Button>
            )}
          </>
        }
      />
      {!data && (first?.error ? <Failure problem={first.error} onRetry={first.refetch} /> : <SkeletonRows rows={8} />)}
      {data && (
        <>
          <Overview answer={data} />
          <Groups answer={data} flags={flags} onMore={() => setPages(pages + 1)} />
          <Kept count={data.counts.kept} decisive={data.environments} />
        </>
      )}
      {isChanging && data && <PolicyDialog policy={data.policy} onClose={() => setChanging(false)} />}
      <Suspense>{failed.length > 0 && <BulkFailures failed={failed} />}</Suspense>
    </Page>
  );
}

/** The server's largest page. */
const limit = 100;

type Listed = Answer<typeof listCleanup>;

const Overview = ({ answer: { points = [], policy, counts } }: { readonly answer: Listed }) => (
  <section className={styles.overview} aria-label="Overview">
    <CleanupScatter points={points} policy={policy} />
    <dl className={styles.counts}>
      <Count group="safe" title="Safe to remove" about={`No calls for ${policy.quietDays} days`} count={counts.safe} />
      <Count group="code" title="Remove from code first" about="Finished, but maybe still called" count={counts.code} />
      <Count
        group="killed"
        title={`Killed for ${policy.killedDays} days`}
        about="Restore or remove"
        count={counts.killed}
      />
      <Count group="rules" title="Rules to fix" about="Unknown segments, past dates" count={counts.rules} />
      <Count group="in-use" title="Others" about="Nothing to do" count={counts['in-use']} />
    </dl>
  </section>
);

interface CountProps {
  readonly group: CleanupGroup;
  readonly title: string;
  readonly about: string;
  readonly count: number;
}

const Count = ({ group, title, about, count }: CountProps) => (
  <div className={styles.count}>
    <dt>
      <span className={`${styles.ink} ${styles.dot}`} data-group={group} aria-hidden />
      <span className={styles.countTitle}>{title}</span>
      <span className={styles.about}>{about}</span>
    </dt>
    <dd>{count.toLocaleString('en')}</dd>
  </div>
);

interface GroupsProps {
  readonly answer: Listed;
  readonly flags: readonly CleanupFlag[];
  readonly onMore: () => void;
}

function Groups({ answer: { totalCount, environments, counts, policy }, flags, onMore }: GroupsProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = flags.filter(({ id }) => selected.has(id));
  if (totalCount === 0) {
    return (
      <EmptyState title="Nothing to clean up">
        A flag that is {policy.ageDays} days old appears here once everyone has got the same treatment for{' '}
        {policy.oneTreatmentDays} days, or no SDK has asked for it for {policy.quietDays} days. Any flag appears once it
        has been killed for {policy.killedDays} days, or a rule names a segment that does not exist or a date that has
        passed.
      </EmptyState>
    );
  }
  return (
    <>
      {groups.map(({ group, title, lead }) => {
        const own = flags.filter((flag) => flag.group === group);
        if (own.length === 0) return null;
        const name = group === 'killed' ? `Killed for ${policy.killedDays} days` : title;
        return (
          <CleanupTable
            key={group}
            title={name}
            lead={lead}
            count={counts[group]}
            flags={own}
            decisive={environments}
            selected={selected}
            onSelect={setSelected}
          />
        );
      })}
      {flags.length < totalCount && (
        <div>
          <Button onClick={onMore}>Show more flags</Button>
        </div>
      )}
      {chosen.length > 0 && <CleanupSelection flags={chosen} onClear={() => setSelected(new Set())} />}
    </>
  );
}

interface KeptProps {
  readonly count: number;
  readonly decisive: Listed['environments'];
}

/** Flags that someone keeps, on request. */
function Kept({ count, decisive }: KeptProps) {
  const project = useProject();
  const [isShown, setShown] = useState(false);
  const [answer] = useQueries({
    queries: [
      {
        ...reading(listCleanup, { params: { project: project.id }, query: { group: 'kept', limit } }),
        enabled: isShown,
      },
    ],
  });
  if (count === 0) return null;
  const words = count === 1 ? '1 kept flag' : `${count} kept flags`;
  if (!isShown || !answer?.data) {
    return (
      <div>
        <Button look="quiet" isBusy={isShown && !answer?.error} onClick={() => setShown(true)}>
          Show {words}
        </Button>
        {answer?.error && <Failure problem={answer.error} onRetry={answer.refetch} />}
      </div>
    );
  }
  return (
    <CleanupTable
      title="Kept"
      lead="They look finished, but someone wants to keep them."
      count={count}
      flags={answer.data.objects}
      decisive={decisive}
    />
  );
}

interface OwnerProps {
  readonly flags: readonly CleanupFlag[];
  readonly owner: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

function OwnerFilter({ flags, owner, onChoose }: OwnerProps) {
  const nameOf = useOwnerNames();
  const ids = [...new Set([...flags.flatMap(({ owners }) => owners.map(({ id }) => id)), ...(owner ? [owner] : [])])];
  const options = ids.map((id) => ({ id, label: nameOf(id) ?? id })).sort((a, b) => a.label.localeCompare(b.label));
  if (options.length === 0) return null;
  return (
    <FilterButton
      what="Owner"
      value={owner === undefined ? undefined : (nameOf(owner) ?? owner)}
      onClear={() => onChoose(undefined)}
      picker={(trigger) => (
        <Picker label="Owner" options={options} selected={owner} onChoose={onChoose} trigger={trigger} align="end" />
      )}
    />
  );
}
