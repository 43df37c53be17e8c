/** Who is signed in. */
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { getSession } from '#contract/accounts.ts';
import type { SessionView } from '#domain/accounts.ts';
import { ApiProblem, call } from './api.ts';

/** Null when nobody is. */
const sessionQuery = queryOptions<SessionView | null, ApiProblem>({
  queryKey: ['session'],
  queryFn: () =>
    call(getSession).catch((problem: unknown) => {
      if (problem instanceof ApiProblem && problem.signedOut) return null;
      throw problem;
    }),
});

export const useSession = () => useQuery(sessionQuery);

/** What earlier pages have read may belong to somebody else. */
export function beginSession(client: QueryClient, session: SessionView): void {
  client.removeQueries({ type: 'inactive' });
  client.setQueryData(sessionQuery.queryKey, session);
}

export function forgetSession(client: QueryClient): void {
  client.setQueryData(sessionQuery.queryKey, null);
}

export const updateSession = (client: QueryClient) => client.invalidateQueries({ queryKey: sessionQuery.queryKey });
