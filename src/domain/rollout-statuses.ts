import { type Static, Type } from 'typebox';
import { Description, extend, patterns } from './schema.ts';

export const RolloutStatus = Type.Object({ id: Type.String(), name: Type.String(), description: Type.String() });
export type RolloutStatus = Static<typeof RolloutStatus>;

/** With what is not in the vendor's lists. */
export const OwnRolloutStatus = extend(
  RolloutStatus,
  Type.Object({ permanent: Type.Boolean({ description: 'flags with this status stay: cleanup does not list them' }) }),
);
export type OwnRolloutStatus = Static<typeof OwnRolloutStatus>;

/** In a list of what uses each status. */
export const UsedRolloutStatus = extend(
  RolloutStatus,
  Type.Object({
    permanent: Type.Optional(OwnRolloutStatus.properties.permanent),
    flagCount: Type.Optional(Type.Integer({ description: 'flags with this status, archived ones included' })),
  }),
);

/** Per project. A filter of the flag list accepts the same number. */
export const maxRolloutStatuses = 50;

const Name = Type.String({ pattern: patterns.name, maxLength: 50 });

export const NewRolloutStatus = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  permanent: Type.Optional(OwnRolloutStatus.properties.permanent),
});
export type NewRolloutStatus = Static<typeof NewRolloutStatus>;

/** What is absent stays. */
export const RolloutStatusUpdate = Type.Object({
  name: Type.Optional(Name),
  description: NewRolloutStatus.properties.description,
  permanent: NewRolloutStatus.properties.permanent,
});
export type RolloutStatusUpdate = Static<typeof RolloutStatusUpdate>;

export const RolloutStatusMove = Type.Object({
  before: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: 255,
    description: 'the id of the status that it comes before; null: it becomes the last',
  }),
});

/** Statuses are referenced by id: names change, and several projects use the same ones. */
export const unknownStatus = (place: string, nameOrId: string): string =>
  `${place} ${nameOrId} is not the id of a rollout status of the project; GET /rolloutStatuses?wsId=<project> lists them`;
