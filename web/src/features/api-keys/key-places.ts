/** The scope of keys by name; keys hold only ids. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ApiKeyAnswer, apiKeysReading } from '../../administration/whole-lists.ts';
import { environmentsReading, projectsReading } from '../../server/project.ts';

export interface Place {
  /** Undefined: the whole account. */
  readonly project: string | undefined;
  /** Empty: the whole project. */
  readonly environments: readonly { readonly id: string; readonly name: string; readonly production: boolean }[];
}

/** Resolves the scope of a key. Names still loading are an ellipsis. */
export function usePlaces(): (key: ApiKeyAnswer) => Place {
  const { data: keys = [] } = useQuery(apiKeysReading);
  const { data: projects } = useQuery(projectsReading);
  const projectIds = [...new Set(keys.flatMap(({ workspace }) => workspace?.id ?? []))];
  const environments = useQueries({
    queries: projectIds.map(environmentsReading),
  });
  const known = new Map(environments.flatMap(({ data = [] }) => data.map((one) => [one.id, one] as const)));
  return ({ workspace, environments: limitedTo }) => ({
    project: workspace && (projects?.objects.find(({ id }) => id === workspace.id)?.name ?? '…'),
    environments: limitedTo
      .filter(({ id }) => id !== everywhere)
      .map(({ id }) => known.get(id) ?? { id, name: '…', production: false }),
  });
}

/** The API's word for a key that is not limited to environments. */
const everywhere = '<<GLOBAL>>';

export function placeInWords({ project, environments }: Place): string {
  if (project === undefined) return 'the whole account';
  if (environments.length === 0) return `the project ${project}`;
  return `${environments.map(({ name }) => name).join(', ')} in ${project}`;
}
