/** Opaque cursors of long lists: signed positions, so that forged markers are recognised. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { farthestOffset, limited, type PageSize } from '#contract/parts.ts';
import { Problem, refuse } from '#domain/problems.ts';
import { maxPageBytes } from '#store/changes.ts';
import { fitting } from '#store/paging.ts';
import type { Position } from '#store/sql.ts';

/** A position in a list, and how many items after it are still to be skipped. */
interface Place extends Position {
  readonly skip?: number;
}

export interface Markers {
  write(place: Place): string;
  /** Refuses a text that `write` did not create for the same list. */
  read(marker: string): Place;
}

export function markersFor(list: string, secret: string): Markers {
  const signatureOf = (text: string) =>
    createHmac('sha256', secret).update(`${list} ${text}`).digest('hex').slice(0, 16);
  return {
    write({ at, id, skip = 0 }) {
      const text = `${at}${skip > 0 ? `+${skip}` : ''}__${id}`;
      return Buffer.from(`${text}__${signatureOf(text)}`).toString('base64url');
    },
    read(marker) {
      const [, text = '', signature = ''] =
        /^(.+)__([0-9a-f]{16})$/.exec(Buffer.from(marker, 'base64url').toString()) ?? [];
      const expected = signatureOf(text);
      const genuine =
        signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
      // Decoding ignores stray characters; a marker must be exactly as issued.
      const same = genuine && Buffer.from(`${text}__${signature}`).toString('base64url') === marker;
      if (!same) throw new Problem('marker_invalid');
      const split = text.indexOf('__');
      const [at, skip = 0] = text.slice(0, split).split('+').map(Number);
      return { at: at ?? 0, id: text.slice(split + 2), skip };
    },
  };
}

interface MarkerQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly after?: string;
  readonly before?: string;
}

interface Slice {
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  readonly offset: number;
  readonly limit: number;
}

interface Found<Item> {
  readonly items: Item[];
  /** Where the search gave up before it found enough. */
  readonly end?: Place;
}

interface MarkerSource<Item, Shown> {
  readonly list: (slice: Slice) => Promise<Found<Item>>;
  readonly positionOf: (item: Item) => Position;
  /** The size of an item, if items can be large: then a page may end before its limit. */
  readonly bytesOf?: (item: Item) => number;
  readonly show: (items: readonly Item[]) => Promise<Shown[]>;
}

/**
 * A page of a list with markers. Both markers are null only on the last page, so a client that follows either of them
 * sees everything once; on other pages the previous marker points at the page's own beginning. A page has at least one
 * item, and more only if they fit into `maxPageBytes`. If the search gave up early, the page may be empty, and the
 * marker continues from there.
 */
export async function markerPage<Item, Shown>(
  markers: Markers,
  query: MarkerQuery,
  size: PageSize,
  { list, positionOf, bytesOf = () => 0, show }: MarkerSource<Item, Shown>,
) {
  const limit = limited(query.limit, size);
  const { after, before } = placeOf(markers, query);
  const offset = before ? 0 : (after?.skip ?? offsetOf(query));
  // Forward, one extra item shows whether there is another page; backward, a query does.
  const { items, end } = await list({ after, before, offset, limit: before ? limit : limit + 1 });
  const sizes = items.slice(0, limit).map(bytesOf);
  // Items that do not fit are dropped at the end away from the marker.
  const count = fitting(before ? sizes.toReversed() : sizes, (bytes) => bytes, maxPageBytes).length;
  const page = before ? items.slice(items.length - count) : items.slice(0, count);
  const [first, last] = [page[0], page.at(-1)].map((item) => item && positionOf(item));
  const behind = before && last ? await list({ after: last, before: undefined, offset: 0, limit: 1 }) : undefined;
  const rest = behind ? behind.items.length : items.length - page.length;
  const isLast = rest === 0 && !end && !behind?.end;
  // If everything found is on the page, the search continues where it stopped.
  const stopped = page.length === items.length ? end : undefined;
  const [previous, next] = before ? [stopped ?? first, last ?? end] : [first ?? end, stopped ?? last];
  const markerOf = (place: Place | undefined) => (isLast || !place ? null : markers.write(place));
  return {
    data: await show(page),
    nextMarker: markerOf(next),
    previousMarker: markerOf(previous && { at: previous.at, id: previous.id }),
    limit,
    count: page.length,
  };
}

function offsetOf({ offset = 0 }: MarkerQuery): number {
  refuse(
    'request_invalid',
    offset > farthestOffset ? [`offset must not be more than ${farthestOffset}; send nextMarker as after instead`] : [],
  );
  return offset;
}

/** One direction at a time. */
function placeOf(markers: Markers, { after, before }: MarkerQuery) {
  if (after !== undefined && before !== undefined) {
    throw new Problem('request_invalid', { complaints: ['after and before cannot be asked for together'] });
  }
  return {
    after: after === undefined ? undefined : markers.read(after),
    before: before === undefined ? undefined : markers.read(before),
  };
}
