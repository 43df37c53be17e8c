/** The flags an evaluation depends on. Segments are not loaded yet, so they count as empty. */
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { getFlag } from '#contract/flags.ts';
import { dependenciesOf, type Targeting } from '#domain/definitions/definition.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import type { OtherFlag } from '#domain/evaluation/effect-sides.ts';
import type { World } from '#domain/evaluation/evaluate.ts';
import type { Answer } from '../../../server/api.ts';
import { flagReading } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { matchesInTime } from './patterns.ts';

export interface PageWorld extends World {
  /** Distinguishes "not defined" from "not loaded yet". */
  readonly otherFlag: OtherFlag;
}

export function useWorld(environmentId: string, ...targetings: readonly (Targeting | undefined)[]): PageWorld {
  const project = useProject();
  const client = useQueryClient();
  const read = (flag: string): ExpandedDefinition | 'notDefined' | undefined => {
    const answer = client.getQueryData<Answer<typeof getFlag>>(flagReading(project.id, flag).queryKey);
    const found = answer?.definitions?.find((definition) => definition.environment.id === environmentId);
    return answer && (found ?? 'notDefined');
  };
  const known = (flag: string): ExpandedDefinition | undefined => {
    const found = read(flag);
    return found === 'notDefined' ? undefined : found;
  };
  const flags = withTheirs(
    targetings.flatMap((targeting) => (targeting ? dependenciesOf(targeting) : [])),
    known,
  );
  const answers = useQueries({
    queries: flags.map((flag) => ({ ...flagReading(project.id, flag), refetchInterval: false as const })),
  });
  const versions = answers.map(({ dataUpdatedAt }) => dataUpdatedAt).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the other flags' data
  return useMemo(
    () => ({
      definitionOf: known,
      otherFlag: read,
      listsKey: () => false,
      segmentRulesOf: () => undefined,
      matches: matchesInTime,
    }),
    [flags.join(' '), versions, environmentId],
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
