import { Type } from 'typebox';
import { Change, ObjectType } from '#domain/changes.ts';
import { Millis } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { extend, MarkerListing, MarkerPage, pageSizes } from './parts.ts';

export const listChanges = endpoint({
  method: 'GET',
  path: '/auditLogs',
  summary: 'List changes',
  description: 'The audit log within the scope of the key, newest first.',
  access: { needs: 'audit.read', scope: 'environment' },
  query: extend(
    MarkerPage(pageSizes.changes),
    Type.Object({
      objectType: Type.Optional(ObjectType),
      objectId: Type.Optional(Type.String()),
      actor: Type.Optional(Type.String({ description: 'id of the key or user that acted' })),
      from: Type.Optional(Millis),
      to: Type.Optional(Type.Integer({ description: 'milliseconds since the Unix epoch, inclusive' })),
    }),
  ),
  reply: MarkerListing(Change),
  problems: ['marker_invalid'],
});
