/** What the verifier finds in a definition before it is saved: the same as in the plan of a changeset. */
import { useMemo } from 'react';
import type { Targeting } from '#domain/definitions/definition.ts';
import { stagingOf } from '#domain/environments.ts';
import type { Effect } from '#domain/evaluation/effects.ts';
import { type Finding, findingsOf, type Nobody } from '#domain/evaluation/findings.ts';
import { moveFindings } from '#domain/evaluation/rebucketing.ts';
import type { Reference } from '#domain/schema.ts';
import { useFlag } from '../../../server/flag.ts';
import { useEnvironments } from '../../../server/project.ts';
import type { KnownSegment } from '../../../targeting/known-segments.ts';
import { useSaved } from '../editing/definitions.ts';
import { useWorld } from '../try-it/use-world.ts';

interface Edited {
  readonly environment: Reference;
  readonly targeting: Targeting;
  /** Undefined for a new definition. */
  readonly base: Targeting | undefined;
  readonly effect: Effect;
}

export function useFindings({ environment: { id, name: here }, targeting, base, effect }: Edited): Finding[] {
  const { name } = useFlag();
  const { seed, trafficAllocationSeed, algo } = useSaved(id) ?? {};
  const staging = stagingOf(useEnvironments(), id);
  const there = useSaved(staging?.id ?? '');
  const { otherFlag, segments } = useWorld({ environment: id }, targeting);
  const { definitionOf } = useWorld({ environment: staging?.id ?? '' }, there);
  return useMemo(() => {
    const isSaved = seed !== undefined && trafficAllocationSeed !== undefined && algo !== undefined;
    const found = findingsOf({
      name,
      targeting,
      seeds: isSaved ? { seed, trafficAllocationSeed, algo } : undefined,
      otherFlag,
      nobodyIn: (segment) => nobodyIn(segments.get(segment)),
      staging: staging &&
        there && {
          here,
          environment: staging.name,
          definition: there,
          areSeedsKnown: true,
          definitionOf,
        },
    });
    return [...found, ...(base ? moveFindings(base, targeting, effect) : [])];
  }, [
    name,
    targeting,
    seed,
    trafficAllocationSeed,
    algo,
    otherFlag,
    segments,
    here,
    staging,
    there,
    definitionOf,
    base,
    effect,
  ]);
}

function nobodyIn(segment: KnownSegment | 'missing' | undefined): Nobody | undefined {
  if (segment === undefined || segment === 'missing') return segment;
  if (!segment.isActive) return 'inactive';
  const { kind, keyCount, rules } = segment;
  return (kind === 'rule_based' ? rules?.rules.length === 0 : keyCount === 0) ? 'empty' : undefined;
}
