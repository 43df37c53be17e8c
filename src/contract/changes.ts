import { Type } from 'typebox';
import { CalendarDay, Change, maxDays, objectTypes } from '#domain/changes.ts';
import { extend, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { MarkerListing, MarkerPage } from './parts.ts';

/** Larger numbers are not exact, and the database would refuse them. */
const Instant = (description: string) =>
  Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    'x-hint': description,
  });

const pageSize = { default: 20, max: 200 };

/** Which entries. Filters are combined with AND. */
const ChangeFilter = Type.Object({
  workspaceId: Type.Optional(Type.String({ maxLength: 255, description: 'id of a project' })),
  environmentId: Type.Optional(Type.String({ maxLength: 255, description: 'id of an environment' })),
  objectType: Type.Optional(OneOf(objectTypes, { description: 'what was changed' })),
  objectId: Type.Optional(
    Type.String({ maxLength: 255, description: 'id of what was changed; for a definition that of its flag' }),
  ),
  actor: Type.Optional(Type.String({ maxLength: 255, description: 'id of the key or user that acted' })),
  changesetId: Type.Optional(
    Type.String({ maxLength: 255, description: 'id of the changeset that made them; an addition to the vendor’s API' }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'text in the title, the comment or the name of what was changed, in any case of ASCII letters; an addition to ' +
        'the vendor’s API',
    }),
  ),
});

const Span = Type.Object({
  from: Type.Optional(Instant('milliseconds since the Unix epoch')),
  to: Type.Optional(Instant('milliseconds since the Unix epoch, inclusive')),
});

export const listChanges = endpoint({
  method: 'GET',
  path: '/auditLogs',
  summary: 'List changes',
  description:
    'Audit entries within the caller’s scope, newest first. Filters are combined with AND. Entries about a flag and its ' +
    'definitions have the flag’s id as `objectId`. A request reads at most 5,000 entries: with a filter that few of them ' +
    'pass, such as `search`, a page can be short or empty although more follow; `nextMarker` is null only at the end.',
  access: { needs: 'audit.read', scope: 'environment' },
  showsHousekeeping: true,
  pageSize,
  query: extend(extend(MarkerPage(pageSize), ChangeFilter), Span),
  reply: MarkerListing(Change),
  problems: ['marker_invalid'],
});

export const downloadChanges = endpoint({
  method: 'GET',
  path: '/auditLogs/download',
  summary: 'Download changes',
  description:
    'The entries that the list shows with the same filters, all of them, newest first. `ndjson` has one entry per line ' +
    'as the list has it; `csv` has one row for each, without `before` and `after`, and texts that a spreadsheet would ' +
    'run as a formula begin with an apostrophe. An addition to the vendor’s API.',
  access: { needs: 'audit.read', scope: 'environment' },
  showsHousekeeping: true,
  media: ['text/csv', 'application/x-ndjson'],
  query: extend(
    extend(Type.Object({ format: OneOf(['csv', 'ndjson'], { description: 'of the file' }) }), ChangeFilter),
    Span,
  ),
  reply: Type.String(),
  problems: ['too_many_large_responses'],
});

export const getChangesCalendar = endpoint({
  method: 'GET',
  path: '/auditLogs/calendar',
  summary: 'Count changes by day',
  description: `How many entries each day has, of those that the list shows with the same filters. At most ${maxDays} days. An addition to the vendor’s API.`,
  access: { needs: 'audit.read', scope: 'environment' },
  showsHousekeeping: true,
  query: extend(
    Type.Object({
      from: Instant('milliseconds since the Unix epoch, on the first day'),
      to: Instant('milliseconds since the Unix epoch, on the last day'),
      timeZone: Type.Optional(
        Type.String({ maxLength: 64, description: 'in which days begin, for example `Europe/Berlin`; default UTC' }),
      ),
    }),
    ChangeFilter,
  ),
  reply: Type.Object({ days: Type.Array(CalendarDay, { description: 'those with changes, oldest first' }) }),
  problems: [],
});
