import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import type { Project } from '#domain/projects.ts';
import { askSentence, useAdministrators } from '../kit/Denied.tsx';
import { Loaded } from '../kit/Loaded.tsx';
import {
  type Environment,
  environmentsReading,
  ProjectContext,
  projectReading,
  projectsReading,
  rememberProject,
} from '../server/project.ts';
import { useMe } from '../server/session.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, PageHead } from '../ui/Page.tsx';
import { PlainButtonLink } from '../ui/TextLink.tsx';
import { PageSkeleton } from './PageSkeleton.tsx';

/** Loads the project in the address and its environments for all pages inside. */
export function ProjectLayout() {
  const { project: word } = useParams({ from: '/shell/p/$project' });
  const found = useQuery(projectReading(word));
  const seen = useRef<string>(undefined);
  const name = found.data?.objects[0]?.name;
  useEffect(() => {
    if (name !== undefined) seen.current = name;
  }, [name]);
  return (
    <Loaded query={found} skeleton={<PageSkeleton />}>
      {({ objects: [project] }) =>
        project ? (
          <WithEnvironments key={project.id} project={project} word={word} />
        ) : (
          <NoSuchProject word={word} wasSeen={seen.current === word} />
        )
      }
    </Loaded>
  );
}

function WithEnvironments({ project, word }: { readonly project: Project; readonly word: string }) {
  const environments = useQuery(environmentsReading(project.id));
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
  const value = useMemo(() => ({ project, environments: all }), [project, all]);
  return (
    <ProjectContext value={value}>
      <Outlet />
    </ProjectContext>
  );
}

interface NoSuchProjectProps {
  readonly word: string;
  /** The project was open a moment ago. */
  readonly wasSeen: boolean;
}

function NoSuchProject({ word, wasSeen }: NoSuchProjectProps) {
  const { data } = useQuery(projectsReading);
  const me = useMe();
  const people = useAdministrators();
  return (
    <Page>
      <PageHead title={wasSeen ? word : 'No such project'} />
      <EmptyState
        title={wasSeen && !me.administrator ? `You can no longer see ${word}` : `No project ${word}`}
        action={(data?.objects ?? []).slice(0, 8).map(({ id, name }) => (
          <PlainButtonLink key={id} to="/p/$project/flags" params={{ project: name }}>
            {name}
          </PlainButtonLink>
        ))}
      >
        {me.administrator
          ? 'It was renamed or deleted.'
          : `It is not open to you, or it was renamed or deleted. ${askSentence(people)}`}
      </EmptyState>
    </Page>
  );
}
