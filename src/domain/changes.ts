/** The audit entry. Every change writes one for each object that it touches. */
import { type Static, Type } from 'typebox';
import { Millis, OneOf } from './schema.ts';

/** The object types of entries, with their display names. */
export const objectTitles = {
  definition: 'Definitions',
  flag: 'Flags',
  segment: 'Segments',
  environment: 'Environments',
  trafficType: 'Traffic types',
  rollout_status: 'Rollout statuses',
  attribute: 'Attributes',
  identity: 'Identities',
  flag_set: 'Flag sets',
  view: 'Views',
  changeset: 'Changesets',
  restriction: 'Project access',
  workspace: 'Projects',
  api_key: 'API keys',
  user: 'Users and sign-ins',
  group: 'Groups',
  import: 'Imports',
  account: 'The server',
} as const;
export type ObjectType = keyof typeof objectTitles;
export const objectTypes = Object.keys(objectTitles) as ObjectType[];
export const ObjectType = OneOf(objectTypes);

export const Change = Type.Object({
  id: Type.String(),
  type: Type.Literal('audit_log'),
  auditLogType: Type.String({ description: '<object>.<what was done>, for example `flag.created`' }),
  object: Type.Object({ type: ObjectType, id: Type.String(), name: Type.String() }),
  workspaceId: Type.Optional(Type.String()),
  environmentId: Type.Optional(Type.String()),
  editor: Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }),
  createdAt: Millis,
  title: Type.Optional(Type.String()),
  comment: Type.Optional(Type.String()),
  before: Type.Optional(Type.Unknown({ description: 'absent when it was created' })),
  after: Type.Optional(Type.Unknown({ description: 'absent when it was deleted' })),
  repeats: Type.Optional(
    Type.Integer({ description: 'how often the same happened again within the hour without its own entry' }),
  ),
  transactionId: Type.String(),
  changesetId: Type.Optional(Type.String({ description: 'the changeset that the change is part of' })),
  withoutApproval: Type.Optional(
    OneOf(['kill', 'skipped'], {
      description: 'the environment requires approvals: `kill` needs none there, or the editor may skip them',
    }),
  ),
});
export type Change = Static<typeof Change>;

/** So many entries of each day are counted. */
export const maxPerDay = 200;
/** A year, and the rest of its first week. */
export const maxDays = 372;

export const CalendarDay = Type.Object({
  day: Type.String({ description: 'for example `2026-11-15`' }),
  count: Type.Integer({ description: 'how many entries pass the filters' }),
  production: Type.Integer({ description: 'how many of these were in production environments' }),
  kills: Type.Integer({ description: 'how many were kills' }),
  isPartial: Type.Boolean({
    description: 'the day has more entries than the 200 that were counted; `kills` has all of them',
  }),
});
export type CalendarDay = Static<typeof CalendarDay>;
