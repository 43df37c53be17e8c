import { useMutation, useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { activateSegment, listSegments } from '#contract/segments.ts';
import { Denied } from '../../kit/Denied.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import type { ApiProblem } from '../../server/api-problem.ts';
import { type Environment, useEnvironments, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { useMay } from '../../server/session.ts';
import { lazyPart } from '../../state/lazy.ts';
import { activate } from '../../targeting/segment-kinds.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { Skeleton, SkeletonRows } from '../../ui/Skeleton.tsx';
import { PlainButtonLink } from '../../ui/TextLink.tsx';
import { useMedia } from '../../ui/use-media.ts';
import { IsKeyIn } from './IsKeyIn.tsx';
import { SegmentHead } from './SegmentHead.tsx';
import styles from './SegmentPage.module.css';
import { SegmentStrip } from './SegmentStrip.tsx';
import { type SegmentAnswer, segmentReading, useRefreshSegments } from './segments-query.ts';
import { UsedBy } from './UsedBy.tsx';

const LargeKeys = lazyPart('LargeKeys', () => import('./LargeKeys.tsx'));
const ProposedBand = lazyPart('ProposedBand', () => import('../../changesets/ProposedBand.tsx'));
const Rules = lazyPart('Rules', () => import('./rules/Rules.tsx'));
const SegmentActivity = lazyPart('SegmentActivity', () => import('./SegmentActivity.tsx'));
const StandardKeys = lazyPart('StandardKeys', () => import('./StandardKeys.tsx'));

/** A segment of any kind in one environment. */
export function SegmentPage() {
  const may = useMay();
  const { segment: name = '', environment: environmentName } = useParams({ strict: false });
  const project = useProject();
  const { data: segment, error, refetch } = useQuery(segmentReading(project.id, name));
  if (!may(listSegments)) return <Denied title="Segments" />;
  if (segment) return <SegmentView segment={segment} environmentName={environmentName} />;
  return (
    <Page>
      {segment === null ? (
        <NoSuchSegment name={name} />
      ) : error ? (
        <Failure problem={error} onRetry={refetch} />
      ) : (
        <>
          <Skeleton width={220} height={28} />
          <SkeletonRows />
        </>
      )}
    </Page>
  );
}

function NoSuchSegment({ name }: { readonly name: string }) {
  const project = useProject();
  return (
    <>
      <PageHead title="No such segment" within={project.name} />
      <EmptyState
        title={`No segment ${name} in ${project.name}`}
        action={
          <PlainButtonLink to="/p/$project/segments" params={{ project: project.name }}>
            All segments
          </PlainButtonLink>
        }
      >
        It was deleted, or the name is misspelled.
      </EmptyState>
    </>
  );
}

interface ViewProps {
  readonly segment: SegmentAnswer;
  /** The environment in the address. */
  readonly environmentName: string | undefined;
}

function SegmentView({ segment, environmentName }: ViewProps) {
  const project = useProject();
  const environments = useEnvironments();
  const environment = environments.find(({ name }) => name === environmentName);
  const [first] = environments;
  // In one column, a page of keys would be above everything else.
  const isNarrow = useMedia('(max-width: 1180px)');
  if (environmentName === undefined && first) {
    const active = environments.find(({ id }) => usageIn(segment, id)?.active) ?? first;
    const params = { project: project.name, segment: segment.name, environment: active.name };
    return <Navigate to="/p/$project/segments/$segment/$environment" params={params} replace />;
  }
  return (
    <Page>
      <SegmentHead segment={segment} environment={environment} />
      <SegmentStrip segment={segment} current={environment?.id} />
      {environment ? (
        <div className={styles.columns}>
          {isNarrow && <IsIn segment={segment} environment={environment} />}
          <div className={styles.main} key={`${segment.id} ${environment.id}`}>
            <Suspense>
              {segment.id !== undefined && <ProposedBand environment={environment} object={{ segment: segment.id }} />}
            </Suspense>
            <Suspense fallback={<SkeletonRows />}>
              <Content segment={segment} environment={environment} />
            </Suspense>
          </div>
          <div className={styles.rail}>
            {!isNarrow && <IsIn segment={segment} environment={environment} />}
            <UsedBy segment={segment.name} environment={environment} />
            <Suspense>
              <SegmentActivity segment={segment} environment={environment} />
            </Suspense>
          </div>
        </div>
      ) : (
        <EmptyState
          title={
            environmentName === undefined ? 'No environments' : `No environment ${environmentName} in ${project.name}`
          }
        >
          {environmentName === undefined
            ? 'A segment is active in environments.'
            : 'It was deleted, or the name is misspelled.'}
        </EmptyState>
      )}
    </Page>
  );
}

const IsIn = ({ segment, environment }: ContentProps) =>
  segment.kind !== 'rule_based' &&
  usageIn(segment, environment.id)?.active && (
    <IsKeyIn key={environment.id} segment={segment} environment={environment} />
  );

const usageIn = ({ environments = [] }: SegmentAnswer, id: string) =>
  environments.find(({ environment }) => environment.id === id);

interface ContentProps {
  readonly segment: SegmentAnswer;
  readonly environment: Environment;
}

function Content({ segment, environment }: ContentProps) {
  const usage = usageIn(segment, environment.id);
  if (!usage?.active) return <NotActive segment={segment} environment={environment} />;
  if (segment.kind === 'rule_based') return <Rules segment={segment} environment={environment} />;
  const { name, environments: usages = [] } = segment;
  const keys = { segment: name, environment, keyCount: usage.keyCount, usages };
  if (segment.kind === 'large') {
    return <LargeKeys {...keys} />;
  }
  return <StandardKeys {...keys} />;
}

function NotActive({ segment, environment }: ContentProps) {
  const { name, kind = 'standard' } = segment;
  const refresh = useRefreshSegments();
  const refusal = useWhyNot()(activateSegment, { environment: environment.id });
  const activating = useMutation<unknown, ApiProblem>({
    mutationFn: () => activate({ kind, name, environment: environment.id }),
    onSuccess: refresh,
  });
  return (
    <>
      <h2 className={styles.title}>
        {environment.name} {environment.production && <ProdChip />}
      </h2>
      {activating.error && <Failure problem={activating.error} />}
      <EmptyState
        title={`Not active in ${environment.name}`}
        action={
          <Button look="primary" refusal={refusal} isBusy={activating.isPending} onClick={() => activating.mutate()}>
            Activate in {environment.name}
          </Button>
        }
      >
        Nobody is in this segment there. Once it is active, you can add {kind === 'rule_based' ? 'rules' : 'keys'}.
      </EmptyState>
    </>
  );
}
