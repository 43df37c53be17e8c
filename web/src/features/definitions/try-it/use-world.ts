/** What lies outside of a definition: the flags that it depends on. Segments are not kept yet, so nobody is in one. */
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
  /** Tells what is not defined from what is not read yet. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: another world when the other flags are read anew
  return useMemo(
    () => ({ definitionOf: known, otherFlag: read, isInSegment: () => false, matches: matchesInTime }),
    [flags.join(' '), versions, environmentId],
  );
}

/** The flags, those that they depend on, and so on, as far as they have been read. */
function withTheirs(flags: readonly string[], known: (flag: string) => Targeting | undefined): string[] {
  const found = new Set(flags);
  for (const flag of found) {
    const definition = known(flag);
    for (const other of definition ? dependenciesOf(definition) : []) found.add(other);
  }
  return [...found];
}
