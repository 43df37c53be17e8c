/** The segment list: what the address asks for, and the queries for it. */
import { infiniteQueryOptions, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { listChanges } from '#contract/changes.ts';
import { listLargeSegmentKeys, listUploads } from '#contract/large-segments.ts';
import { getRuleBasedDefinition } from '#contract/rule-based-segments.ts';
import { listKeys, listSegments, listSegmentUsers } from '#contract/segments.ts';
import type { SegmentKind } from '#domain/segments.ts';
import { type Answer, call, keyOf, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { kinds } from '../../targeting/segment-kinds.ts';

export type SegmentAnswer = Answer<typeof listSegments>['objects'][number];
export type KindFilter = SegmentKind | 'all';

export function useSegmentsSearch() {
  const { kind, q } = useSearch({ from: '/shell/p/$project/segments' });
  const navigate = useNavigate();
  return {
    name: q || undefined,
    kind: kinds.find((one) => one === kind) ?? ('all' as const),
    change: (change: { readonly q?: string | undefined; readonly kind?: SegmentKind | undefined }) =>
      void navigate({ to: '.', search: (before: object) => ({ ...before, ...change }), replace: true }),
  };
}

interface Filter {
  readonly name: string | undefined;
  readonly kind: KindFilter;
}

const pageSize = 50;

export const segmentsReading = (project: string, filter: Filter) =>
  infiniteQueryOptions<
    Answer<typeof listSegments>,
    ApiProblem,
    { readonly segments: readonly SegmentAnswer[]; readonly total: number },
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
      // The server searches for names that contain this one.
      for (let offset = 0; ; offset += 200) {
        const query = { name, kind: 'all', expand: 'environments', offset, limit: 200 } as const;
        const { objects, totalCount } = await call(listSegments, { params: { project }, query });
        const found = objects.find((one) => one.name === name);
        if (found || offset + 200 >= totalCount) return found ?? null;
      }
    },
  });

/** After a change to a segment of any kind. */
export function useRefreshSegments(): () => Promise<unknown> {
  const client = useQueryClient();
  const stale = [
    listSegments,
    listKeys,
    listLargeSegmentKeys,
    listUploads,
    listSegmentUsers,
    getRuleBasedDefinition,
    listChanges,
  ];
  return () => Promise.all(stale.map((one) => client.invalidateQueries({ queryKey: keyOf(one) })));
}
