/** The segment list: what the address asks for, and the queries for it. */
import { infiniteQueryOptions, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { listChanges } from '#contract/changes.ts';
import { listLargeSegmentKeys, listUploads } from '#contract/large-segments.ts';
import { getRuleBasedDefinition } from '#contract/rule-based-segments.ts';
import { listKeyChanges, listKeys, listMemberships, listSegments, listSegmentUsers } from '#contract/segments.ts';
import type { SegmentKind } from '#domain/segments.ts';
import { type Answer, call, keyOf, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { type Environment, useEnvironments, useProject } from '../../server/project.ts';
import { definitionsRefreshMs } from '../../server/query-client.ts';
import { useMay } from '../../server/session.ts';
import { kinds } from '../../targeting/segment-kinds.ts';

export type SegmentAnswer = Answer<typeof listSegments>['objects'][number];
export type AllTags = NonNullable<Answer<typeof listSegments>['allTags']>;
export type KindFilter = SegmentKind | 'all';

export interface SegmentsSearch {
  readonly q?: string | undefined;
  readonly kind?: SegmentKind | undefined;
  readonly tag?: string | undefined;
  /** The name of an environment. */
  readonly active?: string | undefined;
  /** The name of a flag that uses them. */
  readonly flag?: string | undefined;
  /** Present: only those that nothing uses. */
  readonly unused?: string | undefined;
}

/** What the address asks for. */
export function useSegmentsSearch() {
  const { kind, q, tag, active, flag, unused } = useSearch({ from: '/shell/p/$project/segments' });
  const navigate = useNavigate();
  const environment = useEnvironments().find(({ name }) => name === active);
  const filter: Filter = {
    name: q || undefined,
    kind: kinds.find((one) => one === kind) ?? 'all',
    tag: tag ? [tag] : undefined,
    environmentId: environment?.id,
    usedBy: flag || undefined,
    used: unused === undefined ? undefined : 'false',
  };
  return {
    filter,
    tag,
    environment,
    isFiltered: Boolean(q || kind || tag || active || flag || unused !== undefined),
    change: (change: SegmentsSearch) =>
      void navigate({ to: '.', search: (before: object) => ({ ...before, ...change }), replace: true }),
  };
}

interface Filter {
  /** Part of the name. */
  readonly name: string | undefined;
  readonly kind: KindFilter;
  readonly tag: string[] | undefined;
  /** Active there. */
  readonly environmentId: string | undefined;
  /** The name of a flag. */
  readonly usedBy: string | undefined;
  readonly used: 'false' | undefined;
}

const pageSize = 50;

export const segmentsReading = (project: string, filter: Filter) =>
  infiniteQueryOptions<
    Answer<typeof listSegments>,
    ApiProblem,
    {
      readonly segments: readonly SegmentAnswer[];
      readonly total: number;
      /** Of all segments, also of those that the filter hides. */
      readonly allTags: AllTags;
    },
    readonly unknown[],
    number
  >({
    queryKey: [...keyOf(listSegments), 'pages', project, filter],
    queryFn: ({ pageParam: offset }) =>
      call(listSegments, {
        params: { project },
        query: { ...filter, expand: 'environments', offset, limit: pageSize },
      }),
    initialPageParam: 0,
    getNextPageParam: ({ totalCount, offset }) => (offset + pageSize < totalCount ? offset + pageSize : undefined),
    select: ({ pages }) => ({
      segments: pages.flatMap(({ objects }) => objects),
      total: pages.at(-1)?.totalCount ?? 0,
      allTags: pages[0]?.allTags ?? [],
    }),
  });

/** Only for the total: one segment is read. */
export const segmentCountReading = (project: string, filter: Filter) =>
  reading(listSegments, { params: { project }, query: { ...filter, limit: 1 } });

/** The segment of this name, of any kind; null if there is none. */
export const segmentReading = (project: string, name: string) =>
  queryOptions<SegmentAnswer | null, ApiProblem>({
    queryKey: [...keyOf(listSegments), 'one', project, name],
    queryFn: async () => {
      const { objects } = await call(listSegments, {
        params: { project },
        query: { names: [name], kind: 'all', expand: 'environments' },
      });
      return objects[0] ?? null;
    },
  });

/** After a change to a segment of any kind. */
export function useRefreshSegments(): () => Promise<unknown> {
  const client = useQueryClient();
  const stale = [
    listSegments,
    listKeys,
    listKeyChanges,
    listMemberships,
    listLargeSegmentKeys,
    listUploads,
    listSegmentUsers,
    getRuleBasedDefinition,
    listChanges,
  ];
  return () => Promise.all(stale.map((one) => client.invalidateQueries({ queryKey: keyOf(one) })));
}

/** Recent changes to the segment in the environment. */
export function useSegmentChanges({ id }: SegmentAnswer, environment: Environment) {
  const may = useMay();
  const query = {
    workspaceId: useProject().id,
    objectType: 'segment',
    objectId: id,
    environmentId: environment.id,
    limit: 3,
  } as const;
  return {
    ...reading(listChanges, { query }),
    enabled: may(listChanges),
    refetchInterval: definitionsRefreshMs,
  };
}
