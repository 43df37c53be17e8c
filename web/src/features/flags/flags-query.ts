import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { countFlags, listFlags } from '#contract/flags.ts';
import { listRolloutStatusesOfProject } from '#contract/rollout-statuses.ts';
import { listTrafficTypes } from '#contract/traffic-types.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { type Answer, call, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useProject } from '../../server/project.ts';
import { definitionsRefreshMs } from '../../server/query-client.ts';
import { useMe } from '../../server/session.ts';
import { useDrafts } from '../../state/drafts.ts';
import { type FlagsSearch, filters, noFilters, sortOf } from './flags-search.ts';

export type FlagPage = Answer<typeof listFlags>;

export const useRolloutStatuses = () => {
  const { id } = useProject();
  return useQuery({ ...reading(listRolloutStatusesOfProject, { params: { project: id } }), staleTime: 60_000 });
};

export const useTrafficTypes = () => {
  const { id } = useProject();
  return useQuery({ ...reading(listTrafficTypes, { params: { project: id } }), staleTime: 60_000 });
};

/** Reads and updates the search parameters. */
export function useFlagsSearch() {
  const search: FlagsSearch = useSearch({ from: '/shell/p/$project/flags' });
  const navigate = useNavigate();
  const params = { project: useProject().name };
  const change = (changed: FlagsSearch) =>
    void navigate({ to: '/p/$project/flags', params, search: { ...search, ...changed }, replace: true });
  const isFiltered =
    Boolean(search.q ?? search.archived ?? search.drafts ?? search.watched) ||
    filters.some((name) => search[name]?.length);
  return { search, change, isFiltered, clear: () => change(noFilters) };
}

/** As many as the server takes. */
const maxDrafts = 50;

/** The filters as the server takes them. Undefined while the ids of the names are not known. */
function useFilterQuery() {
  const { search } = useFlagsSearch();
  const statuses = useRolloutStatuses().data;
  const types = useTrafficTypes().data;
  const drafted = [...useDrafts(useMe().user.id).keys()].slice(0, maxDrafts);
  if ((search.status && !statuses) || (search.type && !types)) return undefined;
  const idsOf = (words: readonly string[] | undefined, all: readonly { id: string; name: string }[] = []) =>
    words?.flatMap((word) => all.find(({ id, name }) => id === word || name === word)?.id ?? []);
  const [rolloutStatus, trafficType] = [idsOf(search.status, statuses), idsOf(search.type, types)];
  return {
    query: {
      search: search.q,
      archived: search.archived,
      watched: search.watched,
      id: search.drafts && drafted,
      rolloutStatus,
      trafficType,
      tag: search.tag && [...search.tag],
      owner: search.owner && [...search.owner],
      state: search.state && [...search.state],
      traffic: search.traffic && [...search.traffic],
    },
    /** No draft, or only names that do not exist, which the server would refuse. */
    isEmpty:
      rolloutStatus?.length === 0 || trafficType?.length === 0 || (search.drafts !== undefined && drafted.length === 0),
  };
}

export const pageSize = listFlags.pageSize.max;

/** The pages of the query, by offset. */
function useFlagPages() {
  const { id } = useProject();
  const { search } = useFlagsSearch();
  const filter = useFilterQuery();
  return (offset: number) => {
    const query = { expand: 'environments', ...filter?.query, ...sortOf(search), limit: pageSize, offset } as const;
    const page = reading(listFlags, { params: { project: id }, query });
    const none: FlagPage = { objects: [], offset, limit: pageSize, totalCount: 0 };
    return {
      ...page,
      ...(filter?.isEmpty && { queryKey: [...page.queryKey, 'none'], queryFn: async () => none }),
      enabled: filter !== undefined,
      refetchInterval: definitionsRefreshMs,
    };
  };
}

/** The first page, which also has the total. The last one stays while another is read. */
export const useFirstPage = () => useQuery({ ...useFlagPages()(0), placeholderData: keepPreviousData });

/** Looks up flags of the pages that are in sight: none of a page while it loads. */
export function useFlagsAt(first: FlagPage, isOld: boolean, pages: readonly number[]) {
  const readingAt = useFlagPages();
  const later = isOld ? [] : pages.filter((page) => page > 0);
  const answers = useQueries({ queries: later.map((page) => readingAt(page * pageSize)) });
  const flagsOn = (page: number): readonly ListedFlag[] =>
    (page === 0 ? first.objects : answers[later.indexOf(page)]?.data?.objects) ?? [];
  /** By its place in the list. */
  const flagAt = (index: number): ListedFlag | undefined => flagsOn(Math.floor(index / pageSize))[index % pageSize];
  return { flagsOn, flagAt };
}

/** Projects that were seen to have traffic, so that the column does not come and go with filters. */
const withTraffic = new Set<string>();

/** Whether SDKs report evaluations. */
export function useHasTraffic({ objects }: FlagPage): boolean {
  const { id } = useProject();
  const { search } = useFlagsSearch();
  if (objects.some(({ lastTrafficReceivedAt }) => typeof lastTrafficReceivedAt === 'number')) withTraffic.add(id);
  return withTraffic.has(id) || search.traffic !== undefined || sortOf(search).sort === 'traffic';
}

/** A column of the board. */
const columnPageSize = 20;

/** The flags of the query in one status, those that are longest in it first. */
export function useFlagsInStatus(statusId: string) {
  const { id } = useProject();
  const filter = useFilterQuery();
  const query = { expand: 'environments', sort: 'since', ...filter?.query } as const;
  const at = (offset: number) => ({
    params: { project: id },
    query: { ...query, rolloutStatus: [statusId], limit: columnPageSize, offset },
  });
  const found = useInfiniteQuery<FlagPage, ApiProblem, InfiniteData<FlagPage>, QueryKey, number>({
    queryKey: [...reading(listFlags, at(0)).queryKey, 'column'],
    queryFn: ({ pageParam }) => call(listFlags, at(pageParam)),
    initialPageParam: 0,
    getNextPageParam: ({ offset, objects, totalCount }) =>
      objects.length > 0 && offset + objects.length < totalCount ? offset + objects.length : undefined,
    enabled: filter !== undefined && !filter.isEmpty,
    placeholderData: keepPreviousData,
    refetchInterval: definitionsRefreshMs,
  });
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = found;
  return {
    flags: data?.pages.flatMap(({ objects }) => objects) ?? [],
    error,
    isLoading: isPending && !filter?.isEmpty,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
    refetch,
  };
}

/** All flags of the query, as it is now. */
export function useReadAllFlags() {
  const client = useQueryClient();
  const readingAt = useFlagPages();
  return async (): Promise<ListedFlag[]> => {
    const found: ListedFlag[] = [];
    for (;;) {
      const { objects, totalCount } = await client.fetchQuery(readingAt(found.length));
      found.push(...objects);
      if (objects.length === 0 || found.length >= totalCount) return found;
    }
  };
}

/** How many flags each filter value would show. */
export function useFlagCounts() {
  const { id } = useProject();
  const filter = useFilterQuery();
  const query = filter && { ...filter.query };
  return useQuery({
    ...reading(countFlags, { params: { project: id }, query: query ?? {} }),
    enabled: filter !== undefined && !filter.isEmpty,
    placeholderData: keepPreviousData,
  });
}
