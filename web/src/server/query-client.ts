import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { listProjects } from '#contract/projects.ts';
import { explainAccess } from '#contract/rights.ts';
import { keyOf } from './api.ts';
import { ApiProblem } from './api-problem.ts';
import { isLive, onConnectionBack } from './connection.ts';

/** Retries only transient failures. Changes are never retried, because they may have been applied. */
const isPassing = ({ status }: ApiProblem) => status === 0 || status >= 502;

/** The project began to require a note, or the user lost a right, since it was loaded: refetch, so that forms follow. */
const mutationCache = new MutationCache({
  onError: (problem) => {
    if (!(problem instanceof ApiProblem)) return;
    if (problem.noteRequired) void client.invalidateQueries({ queryKey: keyOf(listProjects) });
    if (problem.rightMissing) void client.invalidateQueries({ queryKey: keyOf(explainAccess) });
    followRefusal(problem);
  },
});

const queryCache = new QueryCache({ onError: (problem) => followRefusal(problem) });

/** So that the layout of the project, the navigation, and the page that sets up a second factor follow. */
function followRefusal(problem: Error): void {
  if (!(problem instanceof ApiProblem)) return;
  if (problem.projectGone) void client.invalidateQueries({ queryKey: keyOf(listProjects) });
  if (problem.secondFactorMissing) void client.invalidateQueries({ queryKey: ['session'] });
}

export const client: QueryClient = new QueryClient({
  mutationCache,
  queryCache,
  defaultOptions: {
    queries: {
      // Short, so that returning to a page shows others' changes; cached data is shown meanwhile.
      staleTime: 5_000,
      refetchOnWindowFocus: 'always',
      retry: (failures, problem) => problem instanceof ApiProblem && isPassing(problem) && failures < 2,
      // The server may be reachable on this machine or network even if the browser reports being offline.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

onConnectionBack(() => void client.invalidateQueries());

/** How often open definitions are refetched: not at all while the server announces changes. */
export const definitionsRefreshMs = (): number | false => (isLive.get() ? false : 30_000);
