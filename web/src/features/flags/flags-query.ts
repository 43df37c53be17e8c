import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { listFlags } from '#contract/flags.ts';
import { listRolloutStatusesOfProject } from '#contract/rollout-statuses.ts';
import { type Answer, call, keyOf, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useProject } from '../../server/project.ts';
import { definitionsRefreshMs } from '../../server/query-client.ts';
import type { FlagsSearch } from './flags-search.ts';

type FlagPage = Answer<typeof listFlags>;

export const useRolloutStatuses = () => {
  const { id } = useProject();
  return useQuery({ ...reading(listRolloutStatusesOfProject, { params: { project: id } }), staleTime: 60_000 });
};

/** Reads and updates the search parameters. */
export function useFlagsSearch() {
  const search: FlagsSearch = useSearch({ from: '/shell/p/$project/flags' });
  const navigate = useNavigate();
  const params = { project: useProject().name };
  const change = (changed: FlagsSearch) =>
    void navigate({ to: '/p/$project/flags', params, search: { ...search, ...changed }, replace: true });
  return { search, change, isFiltered: Boolean(search.q || search.status || search.tag?.length) };
}

const noFlags: FlagPage = { objects: [], offset: 0, limit: listFlags.pageSize.max, totalCount: 0 };

/** The matching flags, page by page, with what they serve in each environment. */
export function useFlags() {
  const { id } = useProject();
  const { search } = useFlagsSearch();
  const statuses = useRolloutStatuses();
  const status = statuses.data?.find(({ name }) => name === search.status);
  const input = {
    params: { project: id },
    query: {
      expand: 'environments',
      name: search.q,
      tag: search.tag ? [...search.tag] : undefined,
      rolloutStatus: status && [status.id],
      limit: listFlags.pageSize.max,
    },
  } as const;
  return useInfiniteQuery<FlagPage, ApiProblem>({
    queryKey: [...keyOf(listFlags, input), 'pages', search.status],
    queryFn: ({ pageParam }) =>
      // An unknown status has no flags, and the server would reject it.
      search.status !== undefined && !status
        ? noFlags
        : call(listFlags, { ...input, query: { ...input.query, offset: pageParam as number } }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, objects, totalCount }) => {
      const next = offset + objects.length;
      return next < totalCount ? next : undefined;
    },
    enabled: search.status === undefined || statuses.data !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: definitionsRefreshMs,
  });
}
