import { deleteAttribute, patchAttribute, saveAttributes } from '#commands/attributes.ts';
import * as contract from '#contract/attributes.ts';
import { type Query, SentForm } from '#contract/endpoint.ts';
import { limited } from '#contract/parts.ts';
import {
  type Attribute,
  parseAttribute,
  parseAttributeFile,
  parseAttributes,
  toAttributeReply,
} from '#domain/attributes.ts';
import { refuse } from '#domain/problems.ts';
import {
  type AttributeFilter,
  type Gap,
  listAttributes,
  listAttributesAfter,
  listAttributesBefore,
} from '#store/attributes.ts';
import type { Reader } from '#store/sql.ts';
import type { Markers } from '../paging/markers.ts';
import { type Call, implement } from '../pipeline/implement.ts';

interface Options {
  readonly accountId: string;
  readonly markers: Markers;
}

export const attributes = (db: Reader, { accountId, markers }: Options) => {
  const shown = (attribute: Attribute) => toAttributeReply(attribute, accountId);
  const save = async ({ context, trafficType, body }: Call<typeof contract.saveAttribute>) => {
    const attribute = parseAttribute(body);
    await saveAttributes(context, trafficType, [attribute]);
    return shown({ ...attribute, trafficTypeId: trafficType.id });
  };
  return implement(contract, {
    listAttributes: async ({ trafficType, query }) => {
      const { paginate = 'false', searchPrefix: prefix } = query;
      if (paginate.toLowerCase() === 'false') return (await listAttributes(db, trafficType.id)).map(shown);
      const { attributes: page, ...rest } = await pageOf(db, markers, { trafficTypeId: trafficType.id, prefix }, query);
      return { objects: page.map(shown), ...rest };
    },
    saveAttribute: save,
    replaceAttribute: save,
    saveAttributes: async ({ context, trafficType, body }) =>
      (
        await saveAttributes(
          context,
          trafficType,
          body instanceof SentForm ? parseAttributeFile(body.file.text) : parseAttributes(body),
        )
      ).map(shown),
    patchAttribute: async ({ context, trafficType, params, body }) =>
      shown(await patchAttribute(context, { trafficType, id: params.attribute, body })),
    deleteAttribute: async ({ context, trafficType, params }) =>
      deleteAttribute(context, { trafficType, id: params.attribute }),
  });
};

/**
 * Markers are the gaps before and after a page, not its items. So each can be used in both directions: one leads to the
 * neighbouring page, the other back to this one, as the vendor's clients expect here.
 */
async function pageOf(
  db: Reader,
  markers: Markers,
  filter: AttributeFilter,
  { afterMarker, beforeMarker, markerLimit }: Query<typeof contract.listAttributes>,
) {
  refuse(
    'request_invalid',
    afterMarker !== undefined && beforeMarker !== undefined
      ? ['afterMarker and beforeMarker cannot be asked for together']
      : [],
  );
  const limit = limited(markerLimit, contract.listAttributes.pageSize);
  const page =
    beforeMarker === undefined
      ? await listAttributesAfter(
          db,
          filter,
          afterMarker === undefined ? undefined : gapAt(markers, afterMarker),
          limit,
        )
      : await listAttributesBefore(db, filter, gapAt(markers, beforeMarker), limit);
  const [first, last] = [page[0], page.at(-1)];
  const [start, end]: (Gap | undefined)[] = [
    first && { id: first.id, side: 'before' },
    last && { id: last.id, side: 'after' },
  ];
  const [earlier, later] = [
    start ? await listAttributesBefore(db, filter, start, 1) : [],
    end ? await listAttributesAfter(db, filter, end, 1) : [],
  ];
  return {
    attributes: page,
    nextMarker: end && later.length > 0 ? markerOf(markers, end) : null,
    previousMarker: start && earlier.length > 0 ? markerOf(markers, start) : null,
    limit,
    count: page.length,
  };
}

const markerOf = (markers: Markers, { id, side }: Gap): string => markers.write({ at: side === 'before' ? 0 : 1, id });

function gapAt(markers: Markers, marker: string): Gap {
  const { at, id } = markers.read(marker);
  return { id, side: at === 0 ? 'before' : 'after' };
}
