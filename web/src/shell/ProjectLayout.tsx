import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react';
import type { Project } from '#domain/projects.ts';
import { Loaded } from '../kit/Loaded.tsx';
import {
  type Environment,
  environmentsReading,
  ProjectContext,
  projectReading,
  rememberProject,
} from '../server/project.ts';
import { withCurrentNames } from '../state/paths.ts';
import { PageSkeleton } from './PageSkeleton.tsx';

/** Rarely needed, so loaded late. */
const NoSuchProject = lazy(() => import('./NoSuchProject.tsx').then((module) => ({ default: module.NoSuchProject })));

/** Loads the project in the address and its environments for all pages inside. */
export function ProjectLayout() {
  const { project: nameOrId } = useParams({ from: '/shell/p/$project' });
  const found = useQuery(projectReading(nameOrId));
  const seen = useRef<string>(undefined);
  const name = found.data?.objects[0]?.name;
  useEffect(() => {
    if (name !== undefined) seen.current = name;
  }, [name]);
  return (
    <Loaded query={found} skeleton={<PageSkeleton />}>
      {({ objects: [project] }) =>
        project ? (
          <WithEnvironments key={project.id} project={project} nameOrId={nameOrId} />
        ) : (
          <Suspense fallback={<PageSkeleton />}>
            <NoSuchProject key={nameOrId} nameOrId={nameOrId} wasSeen={seen.current === nameOrId} />
          </Suspense>
        )
      }
    </Loaded>
  );
}

function WithEnvironments({ project, nameOrId }: { readonly project: Project; readonly nameOrId: string }) {
  const environments = useQuery(environmentsReading(project.id));
  useEffect(() => rememberProject(project.name), [project.name]);
  // The address used an id, or + for a space. Those work, but the canonical address has the name.
  if (project.name !== nameOrId) {
    return <Navigate to="." params={(all) => ({ ...all, project: project.name })} search={true} replace />;
  }
  return (
    <Loaded query={environments} skeleton={<PageSkeleton />}>
      {(all) => <InProject project={project} all={all} />}
    </Loaded>
  );
}

function InProject({ project, all }: { readonly project: Project; readonly all: readonly Environment[] }) {
  const value = useMemo(() => ({ project, environments: all }), [project, all]);
  const params = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const [inPath, inSearch] = [withCurrentNames(params, all), withCurrentNames(search, all)];
  if (inPath !== params || inSearch !== search) {
    return <Navigate to="." params={inPath} search={inSearch} hash={true} replace />;
  }
  return (
    <ProjectContext value={value}>
      <Outlet />
    </ProjectContext>
  );
}
