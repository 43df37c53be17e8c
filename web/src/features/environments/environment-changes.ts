/** Changes to environments, and what prevents deleting one. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { listApiKeys } from '#contract/api-keys.ts';
import { listDefinitions } from '#contract/definitions.ts';
import { apiKeysReading } from '../../administration/whole-lists.ts';
import { sentence } from '../../kit/explain.ts';
import type { FieldRule } from '../../kit/form.ts';
import { reading } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';

/** Environment names appear on nearly every page, so this invalidates everything. */
export function useRefreshEverything(): () => Promise<unknown> {
  const client = useQueryClient();
  return () => client.invalidateQueries();
}

/** Flag names listed in the explanation. */
export const namedDefinitions = 3;

/** The number of flags defined in the environment, and a few names. */
export function useDefinitionsIn({ id }: Environment) {
  const project = useProject();
  const params = { project: project.id, environment: id };
  return useQuery(reading(listDefinitions, { params, query: { limit: namedDefinitions } }));
}

/** The number of archived flags that keep a definition in the environment. */
export function useArchivedIn({ id }: Environment): number {
  const params = { project: useProject().id, environment: id };
  return useQuery(reading(listDefinitions, { params, query: { archived: 'true', limit: 1 } })).data?.totalCount ?? 0;
}

/** Keys limited to the environment. Undefined while loading, or without permission to see keys. */
export function useKeysOf({ id }: Environment) {
  const may = useMay();
  const { data } = useQuery({ ...apiKeysReading, enabled: may(listApiKeys) });
  return data?.filter(({ environments }) => environments.some((one) => one.id === id));
}

export const environmentNameRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter a name.' : undefined),
  claim: (complaint, { status }) => {
    if (status === 409) return 'This project already has an environment with this name.';
    return complaint.startsWith('name ') ? sentence(complaint) : undefined;
  },
};
