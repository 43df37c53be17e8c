/** What applying a changeset would do: for each operation what differs, who gets another treatment, and what to look at. */
import { type Static, Type } from 'typebox';
import { NeededApproval } from './approvals.ts';
import { Changeset } from './changesets.ts';
import { orderOf, type Targeting } from './definitions/definition.ts';
import { type Difference, differencesBetween } from './definitions/differences.ts';
import type { Question } from './evaluation/effect-sides.ts';
import { drawnFlows, effectOf, movesIn } from './evaluation/effects.ts';
import type { Evaluable } from './evaluation/evaluate.ts';
import { Finding, findingsOf, type Verified } from './evaluation/findings.ts';
import { moveFindings, Rebucketing, rebucketingOf } from './evaluation/rebucketing.ts';
import { type Change, Transitions } from './evaluation/transitions.ts';
import { extend } from './schema.ts';

const Range = Type.Object(
  { min: Type.Number(), max: Type.Number() },
  { description: 'percent of all keys that are not named individually; exact if both are equal' },
);

const Differences = Type.Array(
  Type.Unsafe<Difference>({ type: 'object', additionalProperties: true, description: '`kind`, `before`, `after`' }),
  { description: 'of a definition, or of the rules of a segment, in reading order' },
);

const LaterStep = Type.Object({
  step: Type.Integer({ description: 'from 2' }),
  isConflict: Type.Boolean({ description: 'someone else changed the same: this step would fail, and those after it' }),
  differences: Differences,
  findings: Type.Array(Finding, { description: 'those that the steps before it do not have' }),
});
export type LaterStep = Static<typeof LaterStep>;

const Planned = Type.Object({
  differences: Differences,
  created: Type.Optional(
    Type.Unsafe<Targeting>({
      type: 'object',
      additionalProperties: true,
      description: 'the definition, if there is none yet',
    }),
  ),
  treatments: Type.Array(Type.String(), { description: 'of a definition, before and after, in their order' }),
  trafficType: Type.Optional(Type.String({ description: 'of the flag, or of the segment whose rules are replaced' })),
  shares: Type.Array(Type.Object({ treatment: Type.String(), before: Range, after: Range })),
  moves: Type.Array(Type.Object({ from: Type.String(), to: Type.String(), share: Type.Number() }), {
    description: 'percent of the keys that no rule with an unknown condition takes',
  }),
  unknown: Type.Array(Type.String(), { description: 'what the shares depend on, and a definition does not say' }),
  rebucketing: Type.Array(Rebucketing, {
    description: 'steps in which more keys get another treatment than the new shares need; exact',
  }),
  transitions: Type.Array(Transitions, { description: 'counted key by key; empty if that takes too long' }),
  findings: Type.Array(Finding, { description: 'what a definition says after the change and probably does not mean' }),
  laterSteps: Type.Array(LaterStep, { description: 'of a ramp: what the steps after this one make of the definition' }),
  conflicts: Type.Array(Type.String(), { description: 'with what others changed since; then nothing can be applied' }),
  refusal: Type.Optional(Type.String({ description: 'why it would be refused, to whoever asks, as it is now' })),
});
export type Planned = Static<typeof Planned>;

export const ChangesetPlan = extend(
  Type.Object({
    canApply: Type.Boolean({ description: 'for whoever asks, at this moment' }),
    approvals: Type.Array(NeededApproval, { description: 'one for each environment that requires one' }),
    step: Type.Optional(Type.Integer({ description: 'of a ramp: the next step, from 1, which is planned' })),
  }),
  Type.Object({ operations: Type.Array(extend(Changeset.properties.operations.items, Planned)) }),
);
export type ChangesetPlan = Static<typeof ChangesetPlan>;

export const nothingPlanned: Planned = {
  differences: [],
  treatments: [],
  shares: [],
  moves: [],
  unknown: [],
  rebucketing: [],
  transitions: [],
  findings: [],
  laterSteps: [],
  conflicts: [],
};

interface Sides extends Pick<Verified, 'name' | 'seeds' | 'otherFlag' | 'nobodyIn' | 'staging'> {
  /** Undefined: not defined. */
  readonly before: Targeting | undefined;
  readonly after: Targeting | undefined;
}

export function planDefinition(sides: Sides): Planned {
  const { before, after } = sides;
  const effect = effectOf(sides);
  return {
    ...nothingPlanned,
    differences: before && after ? differencesBetween(before, after) : [],
    ...(after && !before ? { created: after } : {}),
    treatments: orderOf(before, after),
    shares: [...effect.shares],
    moves: movesIn(drawnFlows(effect)),
    unknown: [...new Set(effect.unknowns.flatMap(({ asksFor }) => asksFor.map(wordsFor)))],
    rebucketing: before && after ? rebucketingOf(before, after) : [],
    findings: [
      ...(after ? findingsOf({ ...sides, targeting: after }) : []),
      ...(before && after ? moveFindings(before, after, effect) : []),
    ],
  };
}

/** A further step of a ramp, after the one that leaves `before`. What earlier steps have is not found again. */
export function planStep(
  sides: Sides & { readonly before: Targeting; readonly after: Targeting },
  earlier: readonly Finding[],
): Pick<LaterStep, 'differences' | 'findings'> {
  const { before, after } = sides;
  const known = new Set(earlier.map(nameOf));
  return {
    differences: differencesBetween(before, after),
    findings: [
      ...findingsOf({ ...sides, targeting: after }).filter((finding) => !known.has(nameOf(finding))),
      ...moveFindings(before, after, effectOf(sides)),
    ],
  };
}

/** The text of a finding may change from step to step. */
const nameOf = ({ title, treatment, rule }: Finding): string => JSON.stringify([title, treatment, rule]);

const wordsFor = (question: Question): string =>
  question.kind === 'key' ? 'the text of the key' : `${question.kind} ${question.name}`;

/** A change of a definition, to count who gets another treatment. */
export interface PlannedChange extends Change {
  readonly environmentId: string;
  readonly trafficTypeId: string;
  /** The flags that its rules depend on, directly or not. */
  readonly others: readonly Evaluable[];
}
