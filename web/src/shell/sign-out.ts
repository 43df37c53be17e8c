import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '#contract/accounts.ts';
import { explain } from '../kit/explain.ts';
import { call } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';
import { forgetSession } from '../server/session.ts';
import { toastFailure } from '../state/toasts.ts';

/** Ends the session here and on the server. */
export function useSignOut(): () => void {
  const leave = useLeave();
  const ending = useMutation<unknown, ApiProblem>({
    mutationFn: () => call(signOut),
    onSuccess: leave,
    onError: (problem) => toastFailure(`Signing out failed. ${explain(problem)}`),
  });
  return ending.mutate;
}

/** Goes to the sign-in page and clears the cache. */
export function useLeave(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    forgetSession(client);
    await navigate({ to: '/sign-in' });
    client.removeQueries({ type: 'inactive' });
  };
}
