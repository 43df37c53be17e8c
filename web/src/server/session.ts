/** The signed-in user and their permissions. */
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { getSession } from '#contract/accounts.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { allows } from '#domain/access.ts';
import { reachOf, type SessionView } from '#domain/accounts.ts';
import { call } from './api.ts';
import { ApiProblem } from './api-problem.ts';
import { sessionBegan, sessionEnded } from './signed-out.ts';

/** Null if nobody is signed in. */
const sessionQuery = queryOptions<SessionView | null, ApiProblem>({
  queryKey: ['session'],
  queryFn: () =>
    call(getSession).then(
      (session) => {
        sessionBegan(session.user.id);
        return session;
      },
      (problem: unknown) => {
        if (problem instanceof ApiProblem && problem.signedOut) return null;
        throw problem;
      },
    ),
});

export const useSession = () => useQuery(sessionQuery);

/** Cached data may belong to another user. */
export function beginSession(client: QueryClient, session: SessionView): void {
  client.removeQueries({ type: 'inactive' });
  client.setQueryData(sessionQuery.queryKey, session);
  sessionBegan(session.user.id);
}

export function forgetSession(client: QueryClient): void {
  sessionEnded();
  client.setQueryData(sessionQuery.queryKey, null);
}

export const updateSession = (client: QueryClient) => client.invalidateQueries({ queryKey: sessionQuery.queryKey });

export const MeContext = createContext<SessionView | null>(null);

/** The signed-in user, for everything inside the shell. */
export function useMe(): SessionView {
  const me = useContext(MeContext);
  if (!me) throw new Error('useMe outside of the shell');
  return me;
}

/** Whether the user may call an endpoint: `may(createFlag)`. The same rule as on the server, which decides. */
export function useMay(): (endpoint: Endpoint) => boolean {
  const reach = reachOf(useMe());
  return ({ access }) => typeof access === 'string' || allows(reach, access);
}
