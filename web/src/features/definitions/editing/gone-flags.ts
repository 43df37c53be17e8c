import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { dependenciesOf, type Targeting } from '#domain/definitions/definition.ts';
import { ApiProblem } from '../../../server/api-problem.ts';
import { flagReading } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';

/** The flags that rules ask for and that no longer exist. They are read anyway, to say who sees what. */
export function useGoneFlags(targeting: Targeting | undefined): ReadonlySet<string> {
  const project = useProject();
  const names = targeting ? dependenciesOf(targeting) : [];
  const answers = useQueries({
    queries: names.map((name) => ({
      ...flagReading(project.id, name),
      refetchInterval: false as const,
      enabled: name !== '',
    })),
  });
  const gone = names.filter((_, index) => isNotFound(answers[index]?.error)).join(' ');
  return useMemo(() => new Set(gone.split(' ').filter(Boolean)), [gone]);
}

const isNotFound = (problem: unknown): boolean => problem instanceof ApiProblem && problem.status === 404;
