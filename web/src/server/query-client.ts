import { MutationCache, QueryClient } from '@tanstack/react-query';
import { listProjects } from '#contract/projects.ts';
import { keyOf } from './api.ts';
import { ApiProblem } from './api-problem.ts';
import { onConnectionBack } from './connection.ts';

/** A refusal stays one; only what may pass is tried again. Changes are never repeated: they may have happened. */
const isPassing = ({ status }: ApiProblem) => status === 0 || status >= 502;

/** A project that asks for a note all at once was read before it did: its forms learn of it, and show the fields. */
const mutationCache = new MutationCache({
  onError: (problem) => {
    if (!(problem instanceof ApiProblem && problem.noteRequired)) return;
    void client.invalidateQueries({ queryKey: keyOf(listProjects) });
  },
});

export const client: QueryClient = new QueryClient({
  mutationCache,
  defaultOptions: {
    queries: {
      // Short, so that who comes back to a page sees what others did; what is known is shown meanwhile.
      staleTime: 5_000,
      refetchOnWindowFocus: 'always',
      retry: (failures, problem) => problem instanceof ApiProblem && isPassing(problem) && failures < 2,
      // Where the browser believes to be offline, the server may still be near: on this machine or in this network.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

onConnectionBack(() => void client.invalidateQueries());

/** How often definitions are read again while somebody looks at them. */
export const definitionsRefreshMs = 30_000;
