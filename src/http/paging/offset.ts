import { limited, type PageSize } from '#contract/parts.ts';

export interface OffsetQuery {
  readonly offset?: number;
  readonly limit?: number;
}

export interface OffsetSource<Items> {
  readonly list: (page: { offset: number; limit: number }) => Items;
  readonly count: () => Promise<number>;
}

/** A page of a list by offset: the items, the total, and the offset and limit. */
export async function offsetPage<Item>(
  { offset = 0, limit: asked }: OffsetQuery,
  size: PageSize,
  source: OffsetSource<Promise<Item[]>>,
) {
  const limit = limited(asked, size);
  return { objects: await source.list({ offset, limit }), offset, limit, totalCount: await source.count() };
}
