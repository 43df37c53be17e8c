import { useQuery } from '@tanstack/react-query';
import { listComingSteps } from '#contract/schedules.ts';
import type { ComingSchedule } from '#domain/schedules.ts';
import { reading } from '../server/api.ts';
import { useFlag } from '../server/flag.ts';
import { type Environment, useProject } from '../server/project.ts';
import { useMay } from '../server/session.ts';

/** What is scheduled for the definition, the next step first. Empty while it loads. */
export function useComing(environment: Environment): readonly ComingSchedule[] {
  const params = { project: useProject().id, flag: useFlag().name, environment: environment.id };
  const { data = [] } = useQuery({ ...reading(listComingSteps, { params }), enabled: useMay()(listComingSteps) });
  const firstAt = ({ steps }: ComingSchedule) => steps[0]?.at ?? Number.POSITIVE_INFINITY;
  return data.toSorted((one, other) => firstAt(one) - firstAt(other) || 0);
}
