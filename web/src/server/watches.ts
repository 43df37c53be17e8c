/** The flags that the signed-in person watches. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { listWatches, unwatchFlag, watchFlag } from '#contract/accounts.ts';
import { listFlags } from '#contract/flags.ts';
import { call, keyOf, reading } from './api.ts';
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
    onSettled: () => {
      // The list of flags can be filtered by them.
      void client.invalidateQueries({ queryKey: keyOf(listFlags) });
      return client.invalidateQueries(reading(listWatches));
    },
  });
}
