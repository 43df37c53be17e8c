import { useQuery } from '@tanstack/react-query';
import { getConvergence } from '#contract/traffic.ts';
import { reading } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';

/** While a change is on its way, and otherwise. Changes themselves are pushed. */
const [movingMs, restMs] = [1_000, 10_000];

export function useConvergence({ id }: Environment) {
  const params = { project: useProject().id, environment: id };
  return useQuery({
    ...reading(getConvergence, { params }),
    refetchInterval: ({ state: { data } }) => (data && data.converged < data.instances ? movingMs : restMs),
  });
}
