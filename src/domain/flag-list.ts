/** The filters and orders of the flag list that go beyond the vendor's. */
import { type Static, Type } from 'typebox';
import { refuse } from './problems.ts';
import { OneOf, Reference } from './schema.ts';

export const flagSorts = ['created', 'name', 'changed', 'status', 'since', 'share', 'traffic'] as const;

export interface FlagSort {
  readonly sort: (typeof flagSorts)[number];
  readonly order: 'asc' | 'desc';
}

const stateKinds = ['killed', 'defined', 'undefined', 'different'] as const;

export interface FlagState {
  readonly kind: (typeof stateKinds)[number];
  /** Any environment, if absent. */
  readonly environmentId?: string;
}

/** `quiet-7d`: evaluated before, but not in the last seven days. */
const trafficKinds = ['never', 'quiet-7d', 'quiet-30d'] as const;

export interface FlagTrafficState {
  readonly kind: (typeof trafficKinds)[number];
  /** Any environment, if absent. */
  readonly environmentId?: string;
}

export const quietDays: Readonly<Record<Exclude<FlagTrafficState['kind'], 'never'>, number>> = {
  'quiet-7d': 7,
  'quiet-30d': 30,
};

/** `killed`, `killed:<environment>`, … Refuses an environment that is not one of these. */
export const parseState = (text: string, environments: readonly Reference[]): FlagState =>
  parsed('state', text, environments);

/** `never`, `never:<environment>`, … Refuses an environment that is not one of these. */
export const parseTraffic = (text: string, environments: readonly Reference[]): FlagTrafficState =>
  parsed('traffic', text, environments);

function parsed<Kind extends string>(filter: string, text: string, environments: readonly Reference[]) {
  const [kind, nameOrId] = text.split(/:(.*)/s) as [Kind, string?];
  if (nameOrId === undefined) return { kind };
  const found = environments.find(({ id }) => id === nameOrId) ?? environments.find(({ name }) => name === nameOrId);
  refuse('request_invalid', found ? [] : [`${filter} names ${nameOrId}, which is not an environment of the project`]);
  return { kind, environmentId: found?.id ?? '' };
}

export const statePattern = '^(different|(killed|defined|undefined)(:.+)?)$';
export const trafficPattern = `^(${trafficKinds.join('|')})(:.+)?$`;

const counted = <Fields extends Record<string, ReturnType<typeof Type.String>>>(fields: Fields) =>
  Type.Array(Type.Object({ ...fields, count: Type.Integer() }));

/** How many flags each value of a filter would show, given the other filters. */
export const FlagFacets = Type.Object({
  totalCount: Type.Integer({ description: 'the flags that match all filters' }),
  rolloutStatus: counted({ id: Type.String() }),
  trafficType: counted({ id: Type.String() }),
  owner: Type.Array(Type.Object({ id: Type.String(), type: OneOf(['user', 'group']), count: Type.Integer() })),
  tag: counted({ name: Type.String() }),
  state: Type.Array(
    Type.Object({
      state: OneOf(stateKinds),
      environment: Type.Optional(Reference),
      count: Type.Integer(),
    }),
    { description: 'in any environment first, then in each production environment' },
  ),
  traffic: Type.Array(
    Type.Object({
      traffic: OneOf(trafficKinds),
      environment: Type.Optional(Reference),
      count: Type.Integer(),
    }),
    { description: 'the same' },
  ),
});
export type FlagFacets = Static<typeof FlagFacets>;
