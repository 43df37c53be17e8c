/** Changesets as the server has them, and the words for their states. */
import type { QueryClient } from '@tanstack/react-query';
import { getChangeset, getChangesetPlan, listChangesets } from '#contract/changesets.ts';
import type { SessionView } from '#domain/accounts.ts';
import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import { type Changeset, type ChangesetState, openStates, scheduledStates } from '#domain/changesets.ts';
import { type Answer, keyOf, reading } from '../server/api.ts';

export type ChangesetAnswer = Answer<typeof getChangeset>;
export type Operation = Changeset['operations'][number];
export type PlannedOperation = ChangesetPlan['operations'][number];

export const changesetReading = (changeset: string) => reading(getChangeset, { params: { changeset } });
export const planReading = (changeset: string) => reading(getChangesetPlan, { params: { changeset } });

/** Shows the answer to an action. What else depends on it is asked for again. */
export async function keepChangeset(client: QueryClient, answer: ChangesetAnswer): Promise<void> {
  const { queryKey } = changesetReading(answer.id);
  await client.cancelQueries({ queryKey });
  const planned = client.invalidateQueries({ queryKey: planReading(answer.id).queryKey });
  // With its plan, so that the page does not show a missing approval next to "Ready to apply".
  if (client.getQueryData<ChangesetAnswer>(queryKey)?.status !== answer.status) await planned;
  client.setQueryData(queryKey, answer);
  void client.invalidateQueries({ queryKey: keyOf(listChangesets) });
}

export const stateWords: Readonly<
  Record<
    ChangesetState,
    {
      readonly label: string;
      readonly kind: 'plain' | 'ok' | 'accent' | 'danger';
      readonly mark: 'dot' | 'ring';
    }
  >
> = {
  DRAFT: { label: 'Draft', kind: 'plain', mark: 'ring' },
  REQUESTED: { label: 'Waiting for approval', kind: 'accent', mark: 'ring' },
  APPROVED: { label: 'Ready to apply', kind: 'ok', mark: 'ring' },
  SCHEDULE_REQUESTED: { label: 'Scheduled, waiting for approval', kind: 'accent', mark: 'ring' },
  SCHEDULED: { label: 'Scheduled', kind: 'accent', mark: 'dot' },
  PUBLISHED: { label: 'Applied', kind: 'ok', mark: 'dot' },
  REJECTED: { label: 'Rejected', kind: 'danger', mark: 'dot' },
  WITHDRAWN: { label: 'Withdrawn', kind: 'plain', mark: 'dot' },
  EXPIRED: { label: 'Expired', kind: 'plain', mark: 'dot' },
  FAILED: { label: 'Failed', kind: 'danger', mark: 'dot' },
};

/** It can be edited, applied and withdrawn. */
export const isOpen = ({ status }: Pick<Changeset, 'status'>): boolean => openStates.includes(status);

/** A schedule applies it: now, or once it has its approvals. */
export const isScheduled = ({ status }: Pick<Changeset, 'status'>): boolean => scheduledStates.includes(status);

export const titleOf = ({ title, operations: [first, ...others] }: Pick<Changeset, 'title' | 'operations'>): string => {
  if (title !== '') return title;
  const name = first ? objectOf(first).name : 'Nothing';
  return others.length === 0 ? `Change ${name}` : `Change ${name} and ${others.length} more`;
};

export const objectOf = ({ flag, segment }: Operation): { readonly id: string; readonly name: string } =>
  flag ?? segment ?? { id: '', name: '' };

/** "Production", "Staging and Production". */
export const placesOf = ({ operations }: Pick<Changeset, 'operations'>): string[] => [
  ...new Set(operations.flatMap(({ environment }) => environment?.name ?? [])),
];

export const isBy = ({ user }: SessionView, { type, id }: { readonly type: string; readonly id: string }): boolean =>
  type === 'user' && id === user.id;
