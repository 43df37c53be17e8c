/** The audit log, newest first, page by page. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listChanges } from '#contract/changes.ts';
import type { Query } from '#contract/endpoint.ts';
import { type Answer, call, keyOf } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';

type Asked = Query<typeof listChanges>;
export type ChangeFilter = { readonly [Name in keyof Asked]?: Asked[Name] | undefined };

const pageSize = 50;
/** Of 5,000 entries each. */
const maxEmptyPages = 20;

export function useChanges(filter: ChangeFilter) {
  const query = { ...filter, limit: pageSize };
  const found = useInfiniteQuery<Answer<typeof listChanges>, ApiProblem>({
    queryKey: [...keyOf(listChanges, { query }), 'pages'],
    queryFn: ({ pageParam }) => call(listChanges, { query: { ...query, after: pageParam as string | undefined } }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextMarker }) => nextMarker,
    placeholderData: keepPreviousData,
  });
  // A search can find nothing in one page of the log, and something in the next.
  const { data, hasNextPage, isFetching, isPlaceholderData, fetchNextPage } = found;
  const pages = data?.pages ?? [];
  const goesOn =
    hasNextPage &&
    !isFetching &&
    !isPlaceholderData &&
    pages.length < maxEmptyPages &&
    pages.every(({ count }) => count === 0);
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  return found;
}
