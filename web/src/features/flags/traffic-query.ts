import { useQueries } from '@tanstack/react-query';
import type { getProjectTraffic } from '#contract/traffic.ts';
import type { Answer } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';

/** Of each environment in which a flag was evaluated. */
export type Traffic = Answer<typeof getProjectTraffic>['traffic'];

const refreshMs = 60_000;

/**
 * Looks up the evaluations of flags, which are given by page: those of a page share one request. Undefined while it
 * loads.
 */
export function useTrafficOf(pages: readonly (readonly string[])[]) {
  const project = useProject();
  // Without ids, the server would answer for all flags of the project.
  const loaded = pages.filter((ids) => ids.length > 0);
  const answers = useQueries({
    queries: loaded.map((ids) => ({
      queryKey: ['traffic', project.id, ids],
      // Loads with the column: without evaluations, the list does without both.
      queryFn: async () => (await import('./TrafficCell.tsx')).readTraffic(project.id, ids),
      select: byFlag,
      staleTime: refreshMs / 2,
      refetchInterval: refreshMs,
    })),
  });
  return (flagId: string): Traffic | undefined => {
    const found = answers[loaded.findIndex((ids) => ids.includes(flagId))]?.data;
    return found && (found[flagId] ?? none);
  };
}

const none: Traffic = [];

const byFlag = ({ traffic }: Answer<typeof getProjectTraffic>): Partial<Record<string, Traffic>> =>
  Object.groupBy(traffic, ({ flagId }) => flagId);
