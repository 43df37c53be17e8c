import type { Targeting } from './definition.ts';

const ofTheServer = new Set([
  'id',
  'name',
  'environment',
  'trafficType',
  'creationTime',
  'lastUpdateTime',
  'etag',
  'seed',
  'trafficAllocationSeed',
  'changeNumber',
]);

/** The part of a definition that people decide: all but what the server sets. Old audit entries lack the default. */
export const targetingOf = (definition: object): Targeting =>
  ({
    ...Object.fromEntries(Object.entries(definition).filter(([member]) => !ofTheServer.has(member))),
    impressionsDisabled: 'impressionsDisabled' in definition && definition.impressionsDisabled === true,
  }) as Targeting;

/** The names of treatments, in an order that gives each the same colour before and after a change. */
export const orderOf = (...targetings: readonly (Targeting | undefined)[]): string[] => [
  ...new Set(targetings.flatMap((targeting) => targeting?.treatments.map(({ name }) => name) ?? [])),
];
