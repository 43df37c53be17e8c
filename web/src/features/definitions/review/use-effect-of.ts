/** The effect of a change in one environment on all keys. */
import { useMemo } from 'react';
import type { Targeting } from '#domain/definitions/definition.ts';
import { type Effect, effectOf } from '#domain/evaluation/effects.ts';
import { useSaved } from '../editing/definitions.ts';
import { useWorld } from '../try-it/use-world.ts';

export function useEffectOf(
  environmentId: string,
  before: Targeting | undefined,
  after: Targeting | undefined,
): Effect {
  // A new definition has no seeds yet.
  const { seed, trafficAllocationSeed, algo } = useSaved(environmentId) ?? {};
  const { otherFlag } = useWorld({ environment: environmentId }, before, after);
  return useMemo(() => {
    const isSaved = seed !== undefined && trafficAllocationSeed !== undefined && algo !== undefined;
    const seeds = isSaved ? { seed, trafficAllocationSeed, algo } : undefined;
    return effectOf({ before, after, seeds, otherFlag });
  }, [before, after, seed, trafficAllocationSeed, algo, otherFlag]);
}
