/** Which keys a segment has in an environment. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { listLargeSegmentKeys } from '#contract/large-segments.ts';
import { listKeys } from '#contract/segments.ts';
import { call, keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { toCsv } from './key-text.ts';

const pageSize = 1_000;
/** The server answers several at once as fast as one. */
const atOnce = 4;

export interface Place {
  /** The id. */
  readonly environment: string;
  readonly segment: string;
}

export async function allKeys(place: Place): Promise<string[]> {
  const page = (index: number) =>
    call(listKeys, { params: { ...place }, query: { offset: index * pageSize, limit: pageSize } });
  const first = await page(0);
  const pages = [first];
  for (let next = 1; next * pageSize < first.totalCount; next += atOnce) {
    const indexes = Array.from({ length: atOnce }, (_, step) => next + step);
    pages.push(...(await Promise.all(indexes.filter((index) => index * pageSize < first.totalCount).map(page))));
  }
  return pages.flatMap(({ keys }) => keys.map(({ key }) => key));
}

export const allKeysReading = (place: Place) =>
  queryOptions<string[], ApiProblem>({
    queryKey: [...keyOf(listKeys), 'all', place.environment, place.segment],
    queryFn: () => allKeys(place),
    // Kept while the panel is open; changes of this page refetch it.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });

/** Up to this many are looked up one by one. */
const few = 20;

/** Keys of the segment: all of them, or those that were asked for, if these are few. */
export const presentKeysReading = (client: QueryClient, place: Place, asked: readonly string[]) =>
  queryOptions<string[], ApiProblem>({
    ...allKeysReading(place),
    ...(asked.length > few
      ? {}
      : {
          queryKey: [...keyOf(listKeys), 'present', place.environment, place.segment, asked],
          queryFn: async () => {
            const found = await Promise.all(asked.map((key) => client.fetchQuery(keyReading(place, key))));
            return asked.filter((_, index) => found[index]);
          },
        }),
  });

/** Whether the segment has the key. Keys are sorted, so it comes first of those that start with it. */
const keyReading = (place: Place, key: string) =>
  queryOptions<boolean, ApiProblem>({
    queryKey: [...keyOf(listKeys), 'key', place.environment, place.segment, key],
    queryFn: async () => {
      const { keys } = await call(listKeys, { params: { ...place }, query: { prefix: key, limit: 1 } });
      return keys[0]?.key === key;
    },
    staleTime: 60_000,
    gcTime: 60_000,
  });

/** The keys of a large segment as CSV, in blobs, which the browser need not keep in memory. Undefined if it was stopped. */
export async function largeKeysCsv(
  { environment, segment }: Place,
  { onShare, signal }: { readonly onShare: (share: number) => void; readonly signal: AbortSignal },
): Promise<Blob | undefined> {
  const parts: Blob[] = [];
  let done = 0;
  let from: string | undefined;
  for (;;) {
    const { keys, count, next } = await call(listLargeSegmentKeys, {
      params: { environment, largeSegment: segment },
      query: { from, limit: pageSize },
    });
    if (signal.aborted) return undefined;
    parts.push(new Blob([toCsv(keys.map(({ key }) => key))]));
    done += keys.length;
    onShare(done / count);
    if (next === null) return new Blob(parts);
    from = next;
  }
}
