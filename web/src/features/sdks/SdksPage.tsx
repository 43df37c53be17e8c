import { Navigate, useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { getConvergence } from '#contract/traffic.ts';
import { Denied } from '../../kit/Denied.tsx';
import { useEnvironments, useProject } from '../../server/project.ts';
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

/** The applications of an environment: which change they have, and the events that they track. */
function Tab({ tab }: { readonly tab: 'instances' | 'events' }) {
  const may = useMay();
  const project = useProject();
  const environments = useEnvironments();
  const { environment: word } = useParams({ strict: false });
  const environment = environments.find(({ name }) => name === word);
  const usual = environments.find(({ production }) => production) ?? environments[0];
  if (!may(getConvergence)) return <Denied title="SDKs" />;
  if (word === undefined && usual) {
    const params = { project: project.name, environment: usual.name };
    return <Navigate to="/p/$project/sdks/$environment" params={params} replace />;
  }
  const params = { project: project.name, environment: word ?? '' };
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
        <EmptyState title={word === undefined ? 'No environments' : `No environment ${word} in ${project.name}`}>
          {word === undefined ? 'SDKs read an environment.' : 'It was deleted, or the name is misspelled.'}
        </EmptyState>
      )}
    </Page>
  );
}
