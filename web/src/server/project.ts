/** The project that the page is about: `/p/:project/…`. */
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Static } from 'typebox';
import { listProjects } from '#contract/projects.ts';
import type { EnvironmentSummary } from '#domain/environments.ts';
import type { Project } from '#domain/projects.ts';
import { reading } from './api.ts';

export type Environment = Static<typeof EnvironmentSummary>;

interface InProject {
  readonly project: Project;
  /** In the order in which changes travel: production comes last. */
  readonly environments: readonly Environment[];
}

export const ProjectContext = createContext<InProject | null>(null);

function useInProject(): InProject {
  const found = useContext(ProjectContext);
  if (!found) throw new Error('outside of a project');
  return found;
}

/** Everything at `/p/:project/…` may use these two; both are there already. */
export const useProject = (): Project => useInProject().project;
export const useEnvironments = (): readonly Environment[] => useInProject().environments;

/** By name or id. An empty list when there is none, or none for this person. */
export const projectReading = (word: string) => reading(listProjects, { query: { projectIdentifier: word, limit: 1 } });

/** All that one can choose from. */
export const projectsReading = reading(listProjects, { query: { limit: 200 } });

export const inOrder = (environments: readonly Environment[]): Environment[] => [
  ...environments.filter(({ production }) => !production),
  ...environments.filter(({ production }) => production),
];

const lastKey = 'project';
export const rememberProject = (name: string): void => localStorage.setItem(lastKey, name);

/** The project to show where the address names none: the last one that was looked at, else the first. */
export function useLikelyProject(): Project | undefined {
  const { data } = useQuery(projectsReading);
  const last = localStorage.getItem(lastKey);
  return data?.objects.find(({ name }) => name === last) ?? data?.objects[0];
}
