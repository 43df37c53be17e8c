/** The flags that the signed-in person watches. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { listWatches, unwatchFlag, watchFlag } from '#contract/accounts.ts';
import { call, reading } from './api.ts';
import type { ApiProblem } from './api-problem.ts';

export const useWatches = () => useQuery(reading(listWatches));

interface Wanted {
  readonly id: string;
  readonly isWatched: boolean;
}

/** Watches a flag, or stops it. */
export function useWatching() {
  const client = useQueryClient();
  return useMutation<unknown, ApiProblem, Wanted>({
    mutationFn: ({ id: watchedFlag, isWatched }) =>
      call(isWatched ? watchFlag : unwatchFlag, { params: { watchedFlag } }),
    onSettled: () => client.invalidateQueries(reading(listWatches)),
  });
}
