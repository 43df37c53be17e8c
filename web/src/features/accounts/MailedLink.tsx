import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { getInvitation } from '#contract/accounts.ts';
import type { Reply } from '#contract/endpoint.ts';
import { Failure } from '../../kit/Failure.tsx';
import type { reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { Loading } from '../../ui/Loading.tsx';

/** The recipient. */
export type Person = Reply<typeof getInvitation>;
export type OnProblem = (problem: ApiProblem) => boolean;

interface Props {
  /** Page title while the link is checked. */
  readonly title: string;
  readonly query: ReturnType<typeof reading<typeof getInvitation>>;
  /** Shown if the link no longer works. */
  readonly dead: ReactNode;
  /** Shown if it works. The form calls `onProblem` in case the link expires before it is submitted. */
  readonly children: (person: Person, onProblem: OnProblem) => ReactNode;
}

/** The page behind an emailed single-use link. */
export function MailedLink({ title, query, dead, children }: Props) {
  // Read once: using the link invalidates it, and the open page must not notice. A later visit must.
  const person = useQuery({ ...query, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 });
  const [isDead, setDead] = useState(false);
  if (isDead || person.error?.status === 404) return dead;
  if (person.isPending) {
    return (
      <CentredPage title={title}>
        <Loading />
      </CentredPage>
    );
  }
  if (person.isError) {
    return (
      <CentredPage title={title}>
        <Failure problem={person.error} onRetry={person.refetch} />
      </CentredPage>
    );
  }
  return children(person.data, ({ status }) => {
    if (status !== 404) return false;
    setDead(true);
    return true;
  });
}
