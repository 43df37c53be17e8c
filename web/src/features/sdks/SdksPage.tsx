import { useQueries } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { getConvergence } from '#contract/traffic.ts';
import { Denied } from '../../kit/Denied.tsx';
import { reading } from '../../server/api.ts';
import { type Environment, useEnvironments, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { TabLink, TabLinks } from '../../ui/Tabs.tsx';
import { PlainButtonLink } from '../../ui/TextLink.tsx';
import { Instances } from './Instances.tsx';
import { SdkStrip } from './SdkStrip.tsx';

const Events = lazy(() => import('./Events.tsx').then(({ Events }) => ({ default: Events })));

export const SdksPage = () => <Tab tab="instances" />;
export const EventsPage = () => <Tab tab="events" />;

/** The first production environment, or another one if only that has instances. */
function Opening({ environments }: { readonly environments: readonly Environment[] }) {
  const project = useProject();
  const found = useQueries({
    queries: environments.map(({ id }) =>
      reading(getConvergence, { params: { project: project.id, environment: id } }),
    ),
  });
  if (found.some(({ isPending }) => isPending)) return <SkeletonRows />;
  const inUse = environments.filter((_, index) => {
    const { instances = 0, silent = 0, clients = 0 } = found[index]?.data ?? {};
    return instances + silent + clients > 0;
  });
  const candidates = inUse.length > 0 ? inUse : environments;
  const chosen = candidates.find(({ production }) => production) ?? candidates[0];
  if (!chosen) return null;
  const params = { project: project.name, environment: chosen.name };
  return <Navigate to="/p/$project/sdks/$environment" params={params} replace />;
}

/** The applications of an environment: which change they have, and the events that they track. */
function Tab({ tab }: { readonly tab: 'instances' | 'events' }) {
  const may = useMay();
  const project = useProject();
  const environments = useEnvironments();
  const { environment: environmentName } = useParams({ strict: false });
  const environment = environments.find(({ name }) => name === environmentName);
  if (!may(getConvergence)) return <Denied title="SDKs" />;
  if (environmentName === undefined && environments.length > 0) return <Opening environments={environments} />;
  const params = { project: project.name, environment: environmentName ?? '' };
  return (
    <Page>
      <PageHead
        title="SDKs"
        within={environment?.name ?? project.name}
        lead="Applications connected to each environment, the change that each of them holds, and the events that they track."
        tools={
          <PlainButtonLink to="/welcome" search={environment ? { env: environment.name } : {}}>
            <Plus size={15} aria-hidden /> Connect an application
          </PlainButtonLink>
        }
      />
      <SdkStrip current={environment?.id} tab={tab} />
      {environment ? (
        <>
          <TabLinks label="Views">
            <TabLink to="/p/$project/sdks/$environment" params={params} activeOptions={{ exact: true }}>
              Instances
            </TabLink>
            <TabLink to="/p/$project/sdks/$environment/events" params={params}>
              Events
            </TabLink>
          </TabLinks>
          {tab === 'instances' ? (
            <Instances key={environment.id} environment={environment} />
          ) : (
            <Suspense fallback={<SkeletonRows />}>
              <Events key={environment.id} environment={environment} />
            </Suspense>
          )}
        </>
      ) : (
        <EmptyState
          title={
            environmentName === undefined ? 'No environments' : `No environment ${environmentName} in ${project.name}`
          }
        >
          {environmentName === undefined ? 'SDKs read an environment.' : 'It was deleted, or the name is misspelled.'}
        </EmptyState>
      )}
    </Page>
  );
}
