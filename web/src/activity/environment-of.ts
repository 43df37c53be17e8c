import { useQuery } from '@tanstack/react-query';
import type { Change } from '#domain/changes.ts';
import { type Environment, environmentsReading, projectsReading } from '../server/project.ts';

/** The environment of a change, as it is now; undefined if there is none or it was deleted. */
export function useEnvironmentOf({ workspaceId = '', environmentId }: Change): Environment | undefined {
  const { data: projects } = useQuery(projectsReading);
  const isThere = projects?.objects.some(({ id }) => id === workspaceId) ?? false;
  const { data } = useQuery({
    ...environmentsReading(workspaceId),
    enabled: environmentId !== undefined && isThere,
    staleTime: 60_000,
  });
  return data?.find(({ id }) => id === environmentId);
}

interface InEnvironment {
  readonly environment?: { readonly name?: string };
}

/** The environment's name at the time of the change. */
export const formerNameOf = ({ before, after }: Change): string | undefined =>
  ((after ?? before) as InEnvironment | undefined)?.environment?.name;
