/** The optional parts of flag replies: their definitions, as summaries or in full. */
import { type Static, Type } from 'typebox';
import { Bucketing } from '../bucketing.ts';
import { FlagWithOwners } from '../flags.ts';
import { joinObjects } from '../json.ts';
import { etagOf } from '../revisions.ts';
import { extend, Millis, Reference } from '../schema.ts';
import { Bucket, Definition, type StoredDefinition, type Targeting, toDefinitionText } from './definition.ts';

/** A definition in a list. */
export const DefinitionSummary = Type.Object({
  environment: Reference,
  killed: Type.Boolean(),
  treatments: Type.Array(Type.String(), { description: 'their names, in the order of the definition' }),
  defaultTreatment: Type.String(),
  trafficAllocation: Type.Integer(),
  defaultRule: Type.Array(Bucket),
  ruleCount: Type.Integer(),
  digest: Type.String({
    description: 'the same in two environments if rules, targets, treatments and the default treatment are the same',
  }),
  lastUpdateTime: Millis,
});
export type DefinitionSummary = Static<typeof DefinitionSummary>;

/** A definition with members for programs that evaluate or change it. */
export const ExpandedDefinition = extend(
  extend(Definition, Type.Object({ etag: Type.String({ description: 'the `ETag` of the definition' }) })),
  Bucketing,
);
export type ExpandedDefinition = Static<typeof ExpandedDefinition>;

const inOrder = 'in the environments within the caller’s scope, in order of creation';

export const ListedFlag = extend(
  FlagWithOwners,
  Type.Object({
    lastUpdateTime: Type.Optional(
      Type.Integer({
        description:
          'with `expand=environments`: when the flag or one of its definitions last changed, in any environment',
      }),
    ),
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
    changeCount: Type.Optional(
      Type.Integer({
        description:
          'with `expand=definitions`, for those who may read the audit log: the number of its entries about the flag and ' +
          'its definitions, of the newest 1,000. An addition to the vendor’s API.',
      }),
    ),
  }),
);
export type ExpandedFlag = Static<typeof ExpandedFlag>;

/** The stored part of a summary; environment and time are columns. */
export type StoredSummary = Omit<DefinitionSummary, 'environment' | 'lastUpdateTime'>;

/** `digestOf` shortens a text; the same text always gives the same digest. */
export const summarize = (targeting: Targeting, digestOf: (text: string) => string): StoredSummary => ({
  killed: targeting.killed,
  treatments: targeting.treatments.map(({ name }) => name),
  defaultTreatment: targeting.defaultTreatment,
  trafficAllocation: targeting.trafficAllocation,
  defaultRule: targeting.defaultRule,
  ruleCount: targeting.rules.length,
  digest: digestOf(comparableText(targeting)),
});

/** What should be the same in every environment. Shares, traffic allocation and kills differ while a flag ramps up. */
const comparableText = ({ treatments, defaultTreatment, rules }: Targeting): string =>
  JSON.stringify([
    treatments.map(({ name, configurations = '', keys = [], segments = [] }) => [
      name,
      configurations,
      keys.toSorted(),
      segments.toSorted(),
    ]),
    defaultTreatment,
    rules,
  ]);

/** A definition's summary, as stored JSON text. */
export interface SummarizedDefinition {
  readonly environment: Reference;
  readonly summary: string;
  readonly lastUpdateTime: number;
}

export const toSummaryText = ({ environment, summary, lastUpdateTime }: SummarizedDefinition): string =>
  joinObjects(
    JSON.stringify({ environment: { id: environment.id, name: environment.name } }),
    summary,
    JSON.stringify({ lastUpdateTime }),
  );

export const toExpandedText = (definition: StoredDefinition & Bucketing): string => {
  const { seed, trafficAllocationSeed, algo } = definition;
  const more = { etag: etagOf(definition), seed, trafficAllocationSeed, algo };
  return joinObjects(toDefinitionText(definition), JSON.stringify(more));
};
