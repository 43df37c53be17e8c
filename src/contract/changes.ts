import { Type } from 'typebox';
import { Change, objectTypes } from '#domain/changes.ts';
import { extend, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { MarkerListing, MarkerPage } from './parts.ts';

/** Larger numbers are not exact, and the database would refuse them. */
const instant = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      description,
      'x-hint': description,
    }),
  );

const pageSize = { default: 20, max: 200 };

export const listChanges = endpoint({
  method: 'GET',
  path: '/auditLogs',
  summary: 'List changes',
  description:
    'Audit entries within the caller’s scope, newest first. Filters are combined with AND. Entries about a flag and its ' +
    'definitions have the flag’s id as `objectId`.',
  access: { needs: 'audit.read', scope: 'environment' },
  showsHousekeeping: true,
  pageSize,
  query: extend(
    MarkerPage(pageSize),
    Type.Object({
      workspaceId: Type.Optional(Type.String({ maxLength: 255, description: 'id of a project' })),
      environmentId: Type.Optional(Type.String({ maxLength: 255, description: 'id of an environment' })),
      objectType: Type.Optional(OneOf(objectTypes, { description: 'what was changed' })),
      objectId: Type.Optional(
        Type.String({ maxLength: 255, description: 'id of what was changed; for a definition that of its flag' }),
      ),
      actor: Type.Optional(Type.String({ maxLength: 255, description: 'id of the key or user that acted' })),
      from: instant('milliseconds since the Unix epoch'),
      to: instant('milliseconds since the Unix epoch, inclusive'),
    }),
  ),
  reply: MarkerListing(Change),
  problems: ['marker_invalid'],
});
