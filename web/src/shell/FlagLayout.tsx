import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { FlagFrame } from '../features/definitions/page/FlagFrame.tsx';
import { Failure } from '../kit/Failure.tsx';
import { FlagContext, flagReading, likelyEnvironment, rememberFlag, useFlag } from '../server/flag.ts';
import { useEnvironments, useProject } from '../server/project.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { PlainButtonLink } from '../ui/TextLink.tsx';
import { PageSkeleton } from './PageSkeleton.tsx';

/** Rarely needed, so loaded late. */
const DeletedFlag = lazy(() => import('./DeletedFlag.tsx').then((module) => ({ default: module.DeletedFlag })));
const NoSuchFlag = lazy(() => import('./NoSuchFlag.tsx').then((module) => ({ default: module.NoSuchFlag })));

/** Loads the flag in the address for all views inside, and frames them: head, environments and tabs stay. */
export function FlagLayout() {
  const { flag: nameOrId } = useParams({ from: '/shell/p/$project/flags/$flag' });
  const project = useProject();
  const { data: flag, error, refetch } = useQuery(flagReading(project.id, nameOrId));
  const name = flag?.name;
  useEffect(() => {
    if (name !== undefined) rememberFlag({ project: project.name, flag: name });
  }, [project.name, name]);
  // The layout of the project is about to say so.
  if (error?.projectGone) return <PageSkeleton />;
  if (error?.status === 404) {
    return <Suspense>{flag ? <DeletedFlag flag={flag} /> : <NoSuchFlag nameOrId={nameOrId} />}</Suspense>;
  }
  if (!flag) {
    return error ? (
      <Page>
        <Failure problem={error} onRetry={refetch} />
      </Page>
    ) : (
      <PageSkeleton />
    );
  }
  if (flag.name !== nameOrId) {
    return <Navigate to="." params={(all) => ({ ...all, flag: flag.name })} search={true} replace />;
  }
  return (
    <FlagContext value={flag}>
      <Page>
        <FlagFrame />
        <Outlet />
      </Page>
    </FlagContext>
  );
}

/** Without an environment in the address: the last visited, or else the first. */
export function FlagHomePage() {
  const project = useProject();
  const environments = useEnvironments();
  const { name: flag } = useFlag();
  const environment = likelyEnvironment(project.id, environments);
  if (environment) {
    const params = { project: project.name, flag, environment: environment.name };
    return <Navigate to="/p/$project/flags/$flag/$environment" params={params} replace />;
  }
  return (
    <EmptyState
      title="This project has no environments"
      action={
        <PlainButtonLink to="/p/$project/environments" params={{ project: project.name }}>
          Environments
        </PlainButtonLink>
      }
    >
      A flag is defined in an environment. Create the first one.
    </EmptyState>
  );
}
