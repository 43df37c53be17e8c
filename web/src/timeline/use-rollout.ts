import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getRolloutHistory } from '#contract/rollouts.ts';
import { dayMs } from '#domain/durations.ts';
import { reading } from '../server/api.ts';
import { useFlag } from '../server/flag.ts';
import { type Environment, useProject } from '../server/project.ts';
import { useMay } from '../server/session.ts';

/** In days. */
export const ranges = { '1': '24 h', '7': '7 d', '30': '30 d', '90': '90 d', all: 'All' } as const;
export type Range = keyof typeof ranges;

/** The history in one environment. Asked again when the definition changes; shows the previous data meanwhile. */
export function useRollout(environment: Environment, etag: string | undefined, range: Range) {
  const project = useProject();
  const flag = useFlag();
  const may = useMay();
  // Fixed while the page is open, so that the query key stays the same.
  const [opened] = useState(() => Date.now());
  const from = range === 'all' ? 0 : opened - Number(range) * dayMs;
  const params = { project: project.id, flag: flag.name, environment: environment.id };
  const question = reading(getRolloutHistory, { params, query: { from } });
  const query = useQuery({
    ...question,
    queryKey: [...question.queryKey, etag],
    placeholderData: keepPreviousData,
    enabled: may(getRolloutHistory),
  });
  return { query, from };
}
