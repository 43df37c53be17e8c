/** The effect of a change in one environment on all keys. */
import { useMemo } from 'react';
import type { Targeting } from '#domain/definitions/definition.ts';
import { type Effect, effectOf } from '#domain/evaluation/effects.ts';
import type { KnownSegment, KnownSegments } from '../../../targeting/known-segments.ts';
import { useSaved } from '../editing/definitions.ts';
import { useWorld } from '../try-it/use-world.ts';

export function useEffectOf(
  environmentId: string,
  before: Targeting | undefined,
  after: Targeting | undefined,
): Effect {
  // A new definition has no seeds yet.
  const { seed, trafficAllocationSeed, algo } = useSaved(environmentId) ?? {};
  const { otherFlag, segments } = useWorld({ environment: environmentId }, before, after);
  return useMemo(() => {
    const isSaved = seed !== undefined && trafficAllocationSeed !== undefined && algo !== undefined;
    const seeds = isSaved ? { seed, trafficAllocationSeed, algo } : undefined;
    return withEmptySegments(effectOf({ before, after, seeds, otherFlag }), segments);
  }, [before, after, seed, trafficAllocationSeed, algo, otherFlag, segments]);
}

/** Says why a segment that decides is empty. */
const withEmptySegments = (effect: Effect, segments: KnownSegments): Effect => ({
  ...effect,
  unknowns: effect.unknowns.map((unknown) => ({
    ...unknown,
    asksFor: unknown.asksFor.map((question) =>
      question.kind === 'segment' ? { ...question, nobody: nobodyIn(segments.get(question.name)) } : question,
    ),
  })),
});

function nobodyIn(segment: KnownSegment | 'missing' | undefined): string | undefined {
  if (segment === undefined) return undefined;
  if (segment === 'missing') return 'does not exist';
  if (!segment.isActive) return 'is not active';
  return segment.kind !== 'rule_based' && segment.keyCount === 0 ? 'has no keys' : undefined;
}
