/** The user list: its search parameters, and the pages from the server. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { listUsers } from '#contract/users.ts';
import { type UserStatus, userStatuses } from '#domain/users.ts';
import { everyoneReading, type UserAnswer } from '../../administration/whole-lists.ts';
import { type Answer, call, keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';

interface UsersSearch {
  readonly status?: string | undefined;
  /** Group id. */
  readonly group?: string | undefined;
  /** Part of a name or email address. */
  readonly q?: string | undefined;
  /** Present: the invite dialog is open. */
  readonly invite?: string | undefined;
}

export function useUsersSearch() {
  const search: UsersSearch = useSearch({ from: '/shell/admin/users' });
  const navigate = useNavigate();
  const change = (changed: UsersSearch) =>
    void navigate({ to: '.', search: (all: UsersSearch) => ({ ...all, ...changed }), replace: true });
  /** Pushes a history entry, so that the back button closes the dialog. */
  const openInvite = () => void navigate({ to: '.', search: (all: UsersSearch) => ({ ...all, invite: '' }) });
  const status = userStatuses.find((one) => one.toLowerCase() === search.status);
  return { ...search, status, change, openInvite };
}

const pageSize = 50;

/** Page by page. */
export function useUserPages({ status, group }: { status: UserStatus | undefined; group: string | undefined }) {
  const query = { status, group_id: group, limit: pageSize };
  return useInfiniteQuery<Answer<typeof listUsers>, ApiProblem>({
    queryKey: [...keyOf(listUsers, { query }), 'pages'],
    queryFn: ({ pageParam }) => call(listUsers, { query: { ...query, after: pageParam as string | undefined } }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextMarker }) => nextMarker,
    placeholderData: keepPreviousData,
  });
}

/** The number of users with each status, and in total; undefined until exact. */
export function useUserCounts(shown: UserStatus | undefined): Readonly<Record<UserStatus | 'all', number>> | undefined {
  const { data, refetch } = useQuery(everyoneReading);
  // The list was just loaded; the counts must not be older.
  const counted = useRef(shown);
  useEffect(() => {
    if (counted.current !== shown) void refetch();
    counted.current = shown;
  }, [shown, refetch]);
  if (!data?.isWhole) return undefined;
  const count = (status: UserStatus) => data.people.filter((user) => user.status === status).length;
  const [PENDING, ACTIVE, DEACTIVATED] = [count('PENDING'), count('ACTIVE'), count('DEACTIVATED')];
  return { PENDING, ACTIVE, DEACTIVATED, all: data.people.length };
}

/** Whether the name or address contains the text. */
export const isNamed = ({ name, email }: UserAnswer, text: string): boolean =>
  `${name} ${email}`.toLowerCase().includes(text.toLowerCase());
