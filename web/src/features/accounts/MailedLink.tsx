import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { getInvitation } from '#contract/accounts.ts';
import type { Reply } from '#contract/endpoint.ts';
import { Failure } from '../../kit/Failure.tsx';
import type { reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { Loading } from '../../ui/Loading.tsx';

/** Whom a link was mailed to. */
export type Person = Reply<typeof getInvitation>;
export type OnProblem = (problem: ApiProblem) => boolean;

interface Props {
  /** Of the page, until it is known whether the link works. */
  readonly title: string;
  readonly query: ReturnType<typeof reading<typeof getInvitation>>;
  /** The page of a link that does not work any more. */
  readonly dead: ReactNode;
  /** The page of one that does. Its form leaves to `onProblem` that the link dies in the meantime. */
  readonly children: (person: Person, onProblem: OnProblem) => ReactNode;
}

/** What a mailed link opens, which works once. */
export function MailedLink({ title, query, dead, children }: Props) {
  // Read once: when the link is used it is gone, and the page must not notice before it is left. Who comes back must.
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
