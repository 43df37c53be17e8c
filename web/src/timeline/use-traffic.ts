import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getFlagTraffic } from '#contract/traffic.ts';
import type { Range as TrafficRange } from '#domain/traffic.ts';
import { reading } from '../server/api.ts';
import { useFlag } from '../server/flag.ts';
import { type Environment, useProject } from '../server/project.ts';
import { useMay } from '../server/session.ts';

/** SDKs report every few minutes. */
const askAgainMs = 30_000;

/** The evaluations of the flag in one environment. Shows the previous time span until the next is there. */
export function useTraffic(environment: Environment, range: TrafficRange) {
  const params = { project: useProject().id, flag: useFlag().name, environment: environment.id };
  return useQuery({
    ...reading(getFlagTraffic, { params, query: { range } }),
    placeholderData: keepPreviousData,
    refetchInterval: askAgainMs,
    enabled: useMay()(getFlagTraffic),
  });
}
