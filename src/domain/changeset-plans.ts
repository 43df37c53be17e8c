/** What applying a changeset would do: for each operation what differs, who gets another treatment, and what to look at. */
import { type Static, Type } from 'typebox';
import { NeededApproval } from './approvals.ts';
import type { Bucketing } from './bucketing.ts';
import { Changeset } from './changesets.ts';
import { orderOf, type Targeting } from './definitions/definition.ts';
import { type Difference, differencesBetween } from './definitions/differences.ts';
import { whyNeverReached } from './definitions/reachability.ts';
import type { OtherFlag, Question } from './evaluation/effect-sides.ts';
import { drawnFlows, type Effect, effectOf, movesIn } from './evaluation/effects.ts';
import { extend } from './schema.ts';

const Range = Type.Object(
  { min: Type.Number(), max: Type.Number() },
  { description: 'percent of all keys that are not named individually; exact if both are equal' },
);

const Planned = Type.Object({
  differences: Type.Array(
    Type.Unsafe<Difference>({ type: 'object', additionalProperties: true, description: '`kind`, `before`, `after`' }),
    { description: 'of a definition, in reading order' },
  ),
  created: Type.Optional(
    Type.Unsafe<Targeting>({
      type: 'object',
      additionalProperties: true,
      description: 'the definition, if there is none yet',
    }),
  ),
  treatments: Type.Array(Type.String(), { description: 'of a definition, before and after, in their order' }),
  trafficType: Type.Optional(Type.String({ description: 'of the flag' })),
  shares: Type.Array(Type.Object({ treatment: Type.String(), before: Range, after: Range })),
  moves: Type.Array(Type.Object({ from: Type.String(), to: Type.String(), share: Type.Number() }), {
    description: 'percent of the keys that no rule with an unknown condition takes',
  }),
  unknown: Type.Array(Type.String(), { description: 'what the shares depend on, and a definition does not say' }),
  findings: Type.Array(Type.String(), { description: 'what is probably not meant' }),
  conflicts: Type.Array(Type.String(), { description: 'with what others changed since; then nothing can be applied' }),
  refusal: Type.Optional(Type.String({ description: 'why it would be refused, to whoever asks, as it is now' })),
});
export type Planned = Static<typeof Planned>;

export const ChangesetPlan = extend(
  Type.Object({
    canApply: Type.Boolean({ description: 'for whoever asks, at this moment' }),
    approvals: Type.Array(NeededApproval, { description: 'one for each environment that requires one' }),
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
  findings: [],
  conflicts: [],
};

interface Sides {
  /** Undefined: not defined. */
  readonly before: Targeting | undefined;
  readonly after: Targeting | undefined;
  readonly seeds: Bucketing | undefined;
  readonly otherFlag: OtherFlag;
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
    findings: [...(after ? neverReached(after) : []), ...bothWays(effect)],
  };
}

const wordsFor = (question: Question): string =>
  question.kind === 'key' ? 'the text of the key' : `${question.kind} ${question.name}`;

const neverReached = (targeting: Targeting): string[] =>
  whyNeverReached(targeting).flatMap((reason, index) => {
    const step = index === targeting.rules.length ? 'Everyone else' : `Rule ${index + 1}`;
    return reason === undefined ? [] : [`${step} is never reached: ${reason}`];
  });

/** More keys move than the net effect needs. */
function bothWays(effect: Effect): string[] {
  const moves = movesIn(drawnFlows(effect));
  return moves.flatMap(({ from, to, share }) => {
    const back = moves.find((other) => other.from === to && other.to === from);
    return back && from < to
      ? [`Keys move in both directions: ${share}% from ${from} to ${to}, ${back.share}% from ${to} to ${from}`]
      : [];
  });
}
