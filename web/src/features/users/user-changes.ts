/** Changes to users, and which queries they invalidate. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { listOutbox, resendInvitation } from '#contract/accounts.ts';
import { listChanges } from '#contract/changes.ts';
import { explainAccess } from '#contract/rights.ts';
import { getUser, listUsers, patchUser } from '#contract/users.ts';
import type { WaitingMail } from '#domain/accounts.ts';
import { administrators } from '#domain/groups.ts';
import type { Operation } from '#domain/json-patch.ts';
import { emailKey } from '#domain/users.ts';
import { everyoneReading, groupsReading, type UserAnswer } from '../../administration/whole-lists.ts';
import { explain } from '../../kit/explain.ts';
import { call, keyOf, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { updateSession, useMay } from '../../server/session.ts';
import { toast, toastFailure } from '../../state/toasts.ts';
import { focusWhenLost } from '../../ui/focus.ts';

/** Everything that shows users, and the session, because the user may have changed themselves. */
export function useRefreshUsers(): () => Promise<unknown> {
  const client = useQueryClient();
  const stale = [listUsers, getUser, listOutbox, listChanges, explainAccess];
  return () =>
    Promise.all([...stale.map((one) => client.invalidateQueries({ queryKey: keyOf(one) })), updateSession(client)]);
}

export const change = ({ id }: UserAnswer, operations: Operation[]) =>
  call(patchUser, { params: { user: id }, body: operations });

/** Changes without a confirmation dialog; a toast reports the result. */
export function useQuickChanges(user: UserAnswer) {
  const refresh = useRefreshUsers();
  const resending = useMutation<unknown, ApiProblem>({
    mutationFn: () => call(resendInvitation, { params: { user: user.id } }),
    onSuccess: () => toast(`Invited ${user.email} again. The earlier link no longer works.`),
    onError: (problem) => toastFailure(`${user.email} was not invited again. ${explain(problem)}`),
    onSettled: () => refresh().then(focusWhenLost),
  });
  const activating = useMutation<unknown, ApiProblem>({
    mutationFn: () => change(user, [{ op: 'replace', path: '/status', value: 'ACTIVE' }]),
    onSuccess: () => toast(`${user.name} is active and can sign in again.`),
    onError: (problem) => toastFailure(`${user.name} was not activated. ${explain(problem)}`),
    onSettled: () => refresh().then(focusWhenLost),
  });
  return { resending, activating };
}

/** Why the user cannot be deactivated, if so. The server decides. */
export function useDeactivationRefusal({ id }: UserAnswer): string | undefined {
  const groups = useQuery(groupsReading);
  const everyone = useQuery(everyoneReading);
  const group = groups.data?.find(({ name }) => name === administrators.name)?.id ?? '';
  const active = (everyone.data?.people ?? []).filter(
    (user) => user.status === 'ACTIVE' && user.groups?.some((one) => one.id === group),
  );
  return active.length === 1 && active[0]?.id === id
    ? 'This is the last active administrator. Burgee needs at least one.'
    : undefined;
}

/** The user's unsent invitation with its link. Undefined if it was sent or there is none. */
export function useWaitingInvitation(): (email: string) => WaitingMail | undefined {
  const may = useMay();
  const { data } = useQuery({ ...reading(listOutbox), enabled: may(listOutbox) });
  return (email) => data?.find((mail) => mail.kind === 'invitation' && emailKey(mail.email) === emailKey(email));
}
