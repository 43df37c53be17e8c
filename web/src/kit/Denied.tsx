import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { listGroups } from '#contract/groups.ts';
import { listUsers } from '#contract/users.ts';
import { administrators } from '#domain/groups.ts';
import { reading } from '../server/api.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, PageHead } from '../ui/Page.tsx';

/** Replaces a page the user has no permission to see. */
export const Denied = ({ title }: { readonly title: string }) => (
  <Page>
    <PageHead title={title} beside={<Lock size={16} aria-hidden />} />
    <DeniedView title={title} />
  </Page>
);

/** Replaces a part of a page, and says whom to ask. */
export const DeniedView = ({ title }: { readonly title: string }) => (
  <EmptyState title={`You cannot see ${title}`}>{askSentence(useAdministrators())}</EmptyState>
);

/** "Ask an administrator: Ana Ruiz, Liu Wei." */
export const askSentence = (people: readonly string[]): string =>
  people.length === 0 ? 'Ask an administrator.' : `Ask an administrator: ${people.join(', ')}.`;

/** The administrators' names. Empty while loading. */
export function useAdministrators(): string[] {
  const groups = useQuery(reading(listGroups, { query: { limit: 200 } }));
  const id = groups.data?.objects.find(({ name }) => name === administrators.name)?.id;
  const users = useQuery({
    ...reading(listUsers, { query: { group_id: id, status: 'ACTIVE', limit: 5 } }),
    enabled: id !== undefined,
  });
  return (users.data?.data ?? []).map(({ name }) => name);
}
