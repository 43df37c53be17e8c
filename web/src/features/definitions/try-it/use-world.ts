/** What an evaluation depends on: other flags, and the segments of the key. */
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { getFlag } from '#contract/flags.ts';
import { listMemberships } from '#contract/segments.ts';
import { dependenciesOf, segmentsOf, type Targeting } from '#domain/definitions/definition.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import type { World } from '#domain/evaluation/evaluate.ts';
import { type Answer, reading } from '../../../server/api.ts';
import { flagReading } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { useSettled } from '../../../state/use-settled.ts';
import { type KnownSegments, useKnownSegments } from '../../../targeting/known-segments.ts';
import { matchesInTime, Undecided } from '../../../targeting/patterns.ts';
import type { HasRules } from '../editing/attributes.ts';

export interface PageWorld extends World {
  /** Distinguishes "not defined" from "not loaded yet". */
  readonly otherFlag: (flag: string) => ExpandedDefinition | 'notDefined' | undefined;
  /** Other flags and rule-based segments whose rules are evaluated too. */
  readonly others: readonly HasRules[];
  readonly segments: KnownSegments;
}

interface Place {
  /** The id. */
  readonly environment: string;
  /** The key to evaluate, if any. */
  readonly key?: string | undefined;
}

export function useWorld(place: Place, ...targetings: readonly (Targeting | undefined)[]): PageWorld {
  const project = useProject();
  const client = useQueryClient();
  const read = (flag: string): ExpandedDefinition | 'notDefined' | undefined => {
    const answer = client.getQueryData<Answer<typeof getFlag>>(flagReading(project.id, flag).queryKey);
    const found = answer?.definitions?.find((definition) => definition.environment.id === place.environment);
    return answer && (found ?? 'notDefined');
  };
  const known = (flag: string): ExpandedDefinition | undefined => {
    const found = read(flag);
    return found === 'notDefined' ? undefined : found;
  };
  const given = targetings.filter((targeting) => targeting !== undefined);
  const flags = withTheirs(given.flatMap(dependenciesOf), known);
  const answers = useQueries({
    queries: flags.map((flag) => ({ ...flagReading(project.id, flag), refetchInterval: false as const })),
  });
  const versions = answers.map(({ dataUpdatedAt }) => dataUpdatedAt).join(' ');
  const others = flags.flatMap((flag) => known(flag) ?? []);
  const segments = useSegmentsOf(place, [...given, ...others].flatMap(segmentsOf));
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the other flags' data
  return useMemo(
    () => ({
      definitionOf: known,
      otherFlag: read,
      others: [...others, ...rulesIn(segments.known)],
      segments: segments.known,
      listsKey: segments.listsKey,
      segmentRulesOf: segments.segmentRulesOf,
      matches: matchesInTime,
    }),
    [flags.join(' '), versions, place.environment, segments],
  );
}

/** The flags and their transitive dependencies, as far as loaded. */
function withTheirs(flags: readonly string[], known: (flag: string) => Targeting | undefined): string[] {
  const found = new Set(flags);
  for (const flag of found) {
    const definition = known(flag);
    for (const other of definition ? dependenciesOf(definition) : []) found.add(other);
  }
  return [...found];
}

const rulesIn = (known: KnownSegments): HasRules[] =>
  [...known.values()].flatMap((segment) => (segment === 'missing' || !segment.rules ? [] : segment.rules));

/** The segments that rules name, and which of them contain the key. Both throw `Undecided` until they know. */
function useSegmentsOf({ environment, key }: Place, names: readonly string[]) {
  const project = useProject();
  const { known, error } = useKnownSegments(environment, names);
  const asked = useSettled(key);
  const areKeysAsked = [...known.values()].some(
    (one) => one !== 'missing' && one.isActive && one.kind !== 'rule_based' && one.keyCount > 0,
  );
  const memberships = useQuery({
    ...reading(listMemberships, { params: { project: project.id, environment }, query: { key: asked ?? '' } }),
    enabled: asked !== undefined && areKeysAsked,
  });
  const { data, error: problem } = memberships;
  return useMemo(() => {
    const failed = error ?? problem;
    const find = (name: string) => {
      const segment = known.get(name);
      if (segment === undefined) throw new Undecided(failed ? { failed } : {});
      return segment === 'missing' || !segment.isActive ? undefined : segment;
    };
    const containing = new Set(data?.segments.map(({ name }) => name));
    return {
      known,
      segmentRulesOf: (name: string) => find(name)?.rules,
      listsKey: (name: string, tried: string) => {
        if ((find(name)?.keyCount ?? 0) === 0) return false;
        if (data?.key !== tried) throw new Undecided(failed ? { failed } : {});
        return containing.has(name);
      },
    };
  }, [known, error, data, problem]);
}
