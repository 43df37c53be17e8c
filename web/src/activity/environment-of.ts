import { useQuery } from '@tanstack/react-query';
import { listEnvironments } from '#contract/environments.ts';
import type { Change } from '#domain/changes.ts';
import { reading } from '../server/api.ts';
import { type Environment, projectsReading } from '../server/project.ts';

/** The environment that a change was made in, as it is now; undefined when there is none, or none any more. */
export function useEnvironmentOf({ workspaceId = '', environmentId }: Change): Environment | undefined {
  const { data: projects } = useQuery(projectsReading);
  const isThere = projects?.objects.some(({ id }) => id === workspaceId) ?? false;
  const { data } = useQuery({
    ...reading(listEnvironments, { params: { project: workspaceId } }),
    enabled: environmentId !== undefined && isThere,
    staleTime: 60_000,
  });
  return data?.find(({ id }) => id === environmentId);
}

interface InEnvironment {
  readonly environment?: { readonly name?: string };
}

/** How the environment of a definition was called when the definition was changed. */
export const formerNameOf = ({ before, after }: Change): string | undefined =>
  ((after ?? before) as InEnvironment | undefined)?.environment?.name;
