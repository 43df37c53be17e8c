/** What reading flags answers on request, beside what it always answers: their definitions, in short or whole. */
import { type Static, Type } from 'typebox';
import { Seeds } from './bucketing.ts';
import { Bucket, Definition } from './definitions.ts';
import { type Flag, FlagWithOwners } from './flags.ts';
import { etagOf } from './revisions.ts';
import { extend, Millis, Reference } from './schema.ts';

/** What a list shows of a definition. */
export const DefinitionSummary = Type.Object({
  environment: Reference,
  killed: Type.Boolean(),
  treatments: Type.Array(Type.String(), { description: 'their names, in the order of the definition' }),
  defaultTreatment: Type.String(),
  trafficAllocation: Type.Integer(),
  defaultRule: Type.Array(Bucket),
  ruleCount: Type.Integer(),
  lastUpdateTime: Millis,
});
export type DefinitionSummary = Static<typeof DefinitionSummary>;

/** A definition with what only a program that evaluates or changes it needs. */
export const ExpandedDefinition = extend(
  extend(Definition, Type.Object({ etag: Type.String({ description: 'the `ETag` of the definition' }) })),
  Seeds,
);
export type ExpandedDefinition = Static<typeof ExpandedDefinition>;

const inOrder = 'in the environments that the caller reaches, in their order of creation';

export const ListedFlag = extend(
  FlagWithOwners,
  Type.Object({
    definitions: Type.Optional(
      Type.Array(DefinitionSummary, { description: `with \`expand=environments\`: ${inOrder}` }),
    ),
  }),
);
export type ListedFlag = Static<typeof ListedFlag>;

export const ExpandedFlag = extend(
  FlagWithOwners,
  Type.Object({
    definitions: Type.Optional(
      Type.Array(ExpandedDefinition, { description: `with \`expand=definitions\`: ${inOrder}` }),
    ),
  }),
);
export type ExpandedFlag = Static<typeof ExpandedFlag>;

/** The flags, each with its definitions out of those given, in short. */
export function withSummaries(flags: readonly Flag[], definitions: readonly Definition[]): ListedFlag[] {
  const byFlag = Map.groupBy(definitions, (definition) => definition.id);
  return flags.map((flag) => ({ ...flag, definitions: (byFlag.get(flag.id) ?? []).map(toSummary) }));
}

const toSummary = ({ rules, treatments, ...definition }: Definition): DefinitionSummary => ({
  environment: definition.environment,
  killed: definition.killed,
  treatments: treatments.map(({ name }) => name),
  defaultTreatment: definition.defaultTreatment,
  trafficAllocation: definition.trafficAllocation,
  defaultRule: definition.defaultRule,
  ruleCount: rules.length,
  lastUpdateTime: definition.lastUpdateTime,
});

/** The flag with its definitions. */
export const withDefinitions = (flag: Flag, definitions: readonly (Definition & Seeds)[]) => ({
  ...flag,
  definitions: definitions.map((definition) => ({ ...definition, etag: etagOf(definition) })),
});
