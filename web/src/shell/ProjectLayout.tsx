import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useParams } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { listEnvironments } from '#contract/environments.ts';
import type { Project } from '#domain/projects.ts';
import { Loaded } from '../kit/Loaded.tsx';
import { reading } from '../server/api.ts';
import {
  type Environment,
  inOrder,
  ProjectContext,
  projectReading,
  projectsReading,
  rememberProject,
} from '../server/project.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, PageHead } from '../ui/Page.tsx';
import { PlainButtonLink } from '../ui/TextLink.tsx';
import { PageSkeleton } from './PageSkeleton.tsx';

/** Loads the project in the address and its environments for all pages inside. */
export function ProjectLayout() {
  const { project: word } = useParams({ from: '/shell/p/$project' });
  const found = useQuery(projectReading(word));
  return (
    <Loaded query={found} skeleton={<PageSkeleton />}>
      {({ objects: [project] }) =>
        project ? <WithEnvironments key={project.id} project={project} word={word} /> : <NoSuchProject word={word} />
      }
    </Loaded>
  );
}

function WithEnvironments({ project, word }: { readonly project: Project; readonly word: string }) {
  const environments = useQuery(reading(listEnvironments, { params: { project: project.id } }));
  useEffect(() => rememberProject(project.name), [project.name]);
  // The address used an id, or + for a space. Those work, but the canonical address has the name.
  if (project.name !== word) {
    return <Navigate to="." params={(all) => ({ ...all, project: project.name })} search={true} replace />;
  }
  return (
    <Loaded query={environments} skeleton={<PageSkeleton />}>
      {(all) => <InProject project={project} all={all} />}
    </Loaded>
  );
}

function InProject({ project, all }: { readonly project: Project; readonly all: readonly Environment[] }) {
  const value = useMemo(() => ({ project, environments: inOrder(all) }), [project, all]);
  return (
    <ProjectContext value={value}>
      <Outlet />
    </ProjectContext>
  );
}

function NoSuchProject({ word }: { readonly word: string }) {
  const { data } = useQuery(projectsReading);
  return (
    <Page>
      <PageHead title="No such project" />
      <EmptyState
        title={`No project ${word}`}
        action={(data?.objects ?? []).slice(0, 8).map(({ id, name }) => (
          <PlainButtonLink key={id} to="/p/$project/flags" params={{ project: name }}>
            {name}
          </PlainButtonLink>
        ))}
      >
        It was renamed or deleted, or it is not open to you.
      </EmptyState>
    </Page>
  );
}
