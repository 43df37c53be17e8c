/** The flag sets of a project, to choose from and to name. */
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { getFlagSet, listFlagSets, listFlagsInSet } from '#contract/flag-sets.ts';
import { getFlag } from '#contract/flags.ts';
import type { FlagSetReply } from '#domain/flag-sets.ts';
import { call, keyOf, reading } from '../server/api.ts';
import { ApiProblem } from '../server/api-problem.ts';

/** Longer lists are cut off here, to limit the number of requests. */
const maxPages = 10;

/** By name. */
export const flagSetsReading = (project: string) =>
  queryOptions<FlagSetReply[], ApiProblem>({
    queryKey: [...keyOf(listFlagSets), 'all', project],
    queryFn: async () => {
      const found: FlagSetReply[] = [];
      let after: string | undefined;
      for (let page = 0; page < maxPages; page += 1) {
        const query = { workspace_id: project, after, limit: listFlagSets.pageSize.max };
        const { data, nextMarker } = await call(listFlagSets, { query });
        found.push(...data);
        if (nextMarker === null) break;
        after = nextMarker;
      }
      return found.sort((one, other) => (one.name < other.name ? -1 : 1));
    },
  });

/** The name of a flag set in any project; if it was deleted, its last one. Undefined if unknown. */
export const flagSetNameReading = (id: string) =>
  queryOptions<string | null, ApiProblem>({
    queryKey: [...keyOf(getFlagSet), 'name', id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      try {
        return (await call(getFlagSet, { params: { flagSet: id } })).name;
      } catch (problem) {
        if (!(problem instanceof ApiProblem) || problem.status !== 404) throw problem;
        const { data } = await call(listChanges, { query: { objectType: 'flag_set', objectId: id, limit: 1 } });
        return data[0]?.object.name ?? null;
      }
    },
  });

/** The flags in a set, once for each environment; at most 200. */
export const flagsInSetReading = (flagSet: string) =>
  reading(listFlagsInSet, { params: { flagSet }, query: { limit: listFlagsInSet.pageSize.max } });

export function useRefreshFlagSets(): () => Promise<unknown> {
  const client = useQueryClient();
  const stale = [listFlagSets, listFlagsInSet, listChanges, getFlag];
  return () => Promise.all(stale.map((one) => client.invalidateQueries({ queryKey: keyOf(one) })));
}
