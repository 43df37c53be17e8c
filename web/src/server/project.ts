/** The current project: `/p/:project/…`. */
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Static } from 'typebox';
import { listEnvironments } from '#contract/environments.ts';
import { listProjects } from '#contract/projects.ts';
import type { EnvironmentForCaller } from '#domain/environments.ts';
import type { Project } from '#domain/projects.ts';
import { reading } from './api.ts';

export type Environment = Static<typeof EnvironmentForCaller>;

/** Whether a change that the user makes there needs an approval. */
export const needsApproval = ({ needsApproval: needed }: Environment, isKill = false): boolean =>
  needed === 'always' || (needed === 'unless-kill' && !isKill);

interface InProject {
  readonly project: Project;
  /** In the order that people chose; without one, production comes last. */
  readonly environments: readonly Environment[];
}

export const ProjectContext = createContext<InProject | null>(null);

function useInProject(): InProject {
  const found = useContext(ProjectContext);
  if (!found) throw new Error('outside of a project');
  return found;
}

/** For everything at `/p/:project/…`; both are already loaded. */
export const useProject = (): Project => useInProject().project;
export const useEnvironments = (): readonly Environment[] => useInProject().environments;

/** By name or id. An empty list if it does not exist or is not visible. */
export const projectReading = (nameOrId: string) =>
  reading(listProjects, { query: { projectIdentifier: nameOrId, limit: 1 } });

/** All visible projects. */
export const projectsReading = reading(listProjects, { query: { limit: 200 } });

/** In the order of the project. */
export const environmentsReading = (project: string) =>
  reading(listEnvironments, { params: { project }, query: { sort: 'position' } });

/** Two environments to compare: those in the address, or else staging, or the last before production, against production. */
export function sidesOf(environments: readonly Environment[], { a, b }: Readonly<Record<string, string | undefined>>) {
  const named = environments.find(({ name }) => name === a);
  const others = environments.filter((environment) => environment !== named);
  const right = others.find(({ name }) => name === b) ?? others.find(({ production }) => production) ?? others.at(-1);
  const earlier = others.filter((environment) => environment !== right);
  const before = earlier.filter(({ production }) => !production);
  const left = named ?? before.find(({ name }) => /staging/i.test(name)) ?? before.at(-1) ?? earlier.at(-1);
  return { left, right };
}

/** Whether the project of the address was deleted, or is not visible. False while that is not known. */
export function useIsGone(nameOrId: string | undefined): boolean {
  const { data } = useQuery({ ...projectReading(nameOrId ?? ''), enabled: nameOrId !== undefined });
  return data !== undefined && data.objects.length === 0;
}

const lastKey = 'project';
export const rememberProject = (name: string): void => localStorage.setItem(lastKey, name);
export const hasVisitedProject = (): boolean => localStorage.getItem(lastKey) !== null;

/** The project for addresses without one: the last visited, or else the first. Asks for nothing if there is one. */
export function useLikelyProject(nameOrId?: string): Project | undefined {
  const { data } = useQuery({ ...projectsReading, enabled: nameOrId === undefined });
  const last = localStorage.getItem(lastKey);
  return data?.objects.find(({ name }) => name === last) ?? data?.objects[0];
}
