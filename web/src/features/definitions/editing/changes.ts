/** Audit entries of the flag in one environment. */
import { listChanges } from '#contract/changes.ts';
import { reading } from '../../../server/api.ts';
import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { definitionsRefreshMs } from '../../../server/query-client.ts';
import { useMay } from '../../../server/session.ts';

/** Three to show, and a few more to find who killed the flag. */
const enough = 10;

export const changesReading = (project: string, flag: string, environment: string) =>
  reading(listChanges, {
    query: {
      workspaceId: project,
      objectId: flag,
      environmentId: environment,
      objectType: 'definition',
      limit: enough,
    },
  });

export function useChangesReading(environmentId: string) {
  const may = useMay();
  return {
    ...changesReading(useProject().id, useFlag().id, environmentId),
    enabled: may(listChanges),
    refetchInterval: definitionsRefreshMs,
  };
}
