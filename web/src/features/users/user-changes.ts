/** What is done to users, and what the pages must read again afterwards. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { listOutbox, resendInvitation } from '#contract/accounts.ts';
import { listChanges } from '#contract/changes.ts';
import { getUser, listUsers, patchUser } from '#contract/users.ts';
import type { WaitingMail } from '#domain/accounts.ts';
import { administrators } from '#domain/groups.ts';
import type { Operation } from '#domain/json-patch.ts';
import { emailKey } from '#domain/users.ts';
import { focusWhenLost } from '../../administration/focus-when-lost.ts';
import { everyoneReading, groupsReading, type UserAnswer } from '../../administration/whole-lists.ts';
import { explain } from '../../kit/explain.ts';
import { call, keyOf, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { updateSession, useMay } from '../../server/session.ts';
import { toast, toastFailure } from '../../state/toasts.ts';

/** Everything that shows users. The session too: one may have changed oneself. */
export function useRefreshUsers(): () => Promise<unknown> {
  const client = useQueryClient();
  const stale = [listUsers, getUser, listOutbox, listChanges];
  return () =>
    Promise.all([...stale.map((one) => client.invalidateQueries({ queryKey: keyOf(one) })), updateSession(client)]);
}

export const change = ({ id }: UserAnswer, operations: Operation[]) =>
  call(patchUser, { params: { user: id }, body: operations });

/** What needs no question: its effect is said in passing. */
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

/** Why the user cannot be deactivated, if so. The server has the last word. */
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

/** The invitation of the user that is not mailed, with its link. Undefined when it was mailed, or there is none. */
export function useWaitingInvitation(): (email: string) => WaitingMail | undefined {
  const may = useMay();
  const { data } = useQuery({ ...reading(listOutbox), enabled: may(listOutbox) });
  return (email) => data?.find((mail) => mail.kind === 'invitation' && emailKey(mail.email) === emailKey(email));
}
