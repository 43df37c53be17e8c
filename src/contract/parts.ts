/** Parts that endpoints share: pages, notes, the error body, and the table of HTTP statuses. */

import { type Static, type TSchema, Type } from 'typebox';
import { noteLimit } from '#domain/notes.ts';
import type { Kind } from '#domain/problems.ts';

export const prefix = '/internal/api/v2';
/** Of flag sets. The vendor's clients call them without `/internal`, too. */
export const prefixV3 = '/internal/api/v3';
export const publicPrefixV3 = '/api/v3';
export const accountPrefix = '/internal/account';

export const statusOf: Record<Kind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  locked: 423,
  too_large: 413,
  too_many: 429,
  internal: 500,
  unavailable: 503,
};

export const bodyLimit = 1_048_576;
/** Of a call with 10,000 long keys. */
export const keysBodyLimit = 4_194_304;
/** Anyone can send these, and all of them are short. */
export const accountBodyLimit = 16_384;

export const ErrorBody = Type.Object({
  code: Type.Integer({ description: 'the HTTP status' }),
  message: Type.String(),
  details: Type.String({ description: 'more information, one item per line; often empty' }),
  transactionId: Type.String({ description: 'also in the header X-Transaction-Id, the log and the audit log' }),
});
export type ErrorBody = Static<typeof ErrorBody>;

/** The response of a delete. */
export const True = Type.Literal(true);

/** Why a change is made. Some projects require it. Read from the query or the body. */
export const NoteQuery = Type.Object({
  title: Type.Optional(
    Type.String({
      maxLength: noteLimit,
      description: 'Why, in a few words, for the audit log. Some projects require it.',
    }),
  ),
  comment: Type.Optional(
    Type.String({
      maxLength: noteLimit,
      description: 'Why, in more words, for the audit log. Some projects require it.',
    }),
  ),
});

/** Lists leave archived flags out unless the caller asks for them. */
export const Archived = (what: string) =>
  Type.Optional(Type.Literal('true', { description: `lists the ${what} instead. An addition to the vendor’s API.` }));

/** A project named in a query. */
export const ProjectNameOrId = Type.String({ minLength: 1, maxLength: 255, description: 'Id or name of the project.' });

export interface PageSize {
  readonly default: number;
  readonly max: number;
}

const limitOf = (size: PageSize) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `default ${size.default}; more than ${size.max} is lowered to ${size.max}`,
    }),
  );

export const OffsetPage = (size: PageSize) =>
  Type.Object({
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'default 0' })),
    limit: limitOf(size),
  });

/** Skipped rows cost time, so lists with markers refuse larger offsets. Markers cost the same everywhere. */
export const farthestOffset = 10_000;

export const MarkerPage = (size: PageSize) =>
  Type.Object({
    limit: limitOf(size),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: `Default 0, at most ${farthestOffset}. Ignored when a marker is sent.`,
      }),
    ),
    after: Type.Optional(
      Type.String({ maxLength: 1_000, description: 'the nextMarker of a page: returns the page after it' }),
    ),
    before: Type.Optional(
      Type.String({ maxLength: 1_000, description: 'the previousMarker of a page: returns the page before it' }),
    ),
  });

export const limited = (limit: number | undefined, size: PageSize): number => Math.min(limit ?? size.default, size.max);

export const OffsetListing = <Item extends TSchema>(item: Item) =>
  Type.Object({
    objects: Type.Array(item),
    offset: Type.Integer(),
    limit: Type.Integer(),
    totalCount: Type.Integer(),
  });

const Marker = Type.Unsafe<string | null>({ type: ['string', 'null'] });

export const MarkerListing = <Item extends TSchema>(item: Item) =>
  Type.Object({
    data: Type.Array(item),
    nextMarker: Marker,
    previousMarker: Marker,
    limit: Type.Integer(),
    count: Type.Integer(),
  });
