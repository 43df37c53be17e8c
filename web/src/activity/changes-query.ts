/** The audit log, newest first, page by page. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import type { Query } from '#contract/endpoint.ts';
import { type Answer, call, keyOf } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';

type Asked = Query<typeof listChanges>;
export type ChangeFilter = { readonly [Name in keyof Asked]?: Asked[Name] | undefined };

const pageSize = 50;

export function useChanges(filter: ChangeFilter) {
  const query = { ...filter, limit: pageSize };
  return useInfiniteQuery<Answer<typeof listChanges>, ApiProblem>({
    queryKey: [...keyOf(listChanges, { query }), 'pages'],
    queryFn: ({ pageParam }) => call(listChanges, { query: { ...query, after: pageParam as string | undefined } }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextMarker }) => nextMarker,
    placeholderData: keepPreviousData,
  });
}
