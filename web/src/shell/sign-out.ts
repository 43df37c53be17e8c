import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '#contract/accounts.ts';
import { explain } from '../kit/explain.ts';
import { call } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';
import { forgetSession, useMe } from '../server/session.ts';
import { hasDrafts } from '../state/drafts.ts';
import { toastFailure } from '../state/toasts.ts';

/** Ends the session here and on the server. */
export function useSignOut(): () => void {
  const leave = useLeave();
  const { user } = useMe();
  const ending = useMutation<unknown, ApiProblem>({
    mutationFn: () => call(signOut),
    onSuccess: () => leave({ hasDrafts: hasDrafts(user.id) }),
    onError: (problem) => toastFailure(`Signing out failed. ${explain(problem)}`),
  });
  return ending.mutate;
}

/** Goes to the sign-in page and clears the cache. The page says if drafts stay behind. */
export function useLeave(): (left?: { readonly hasDrafts: boolean }) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (left) => {
    forgetSession(client);
    await navigate({ to: '/sign-in', search: left?.hasDrafts ? { drafts: 'kept' } : {} });
    client.removeQueries({ type: 'inactive' });
  };
}
