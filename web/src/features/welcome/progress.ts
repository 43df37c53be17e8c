/** What of the first steps is done, read from what is there. */
import { useQuery } from '@tanstack/react-query';
import { listApiKeys } from '#contract/api-keys.ts';
import { listFlags } from '#contract/flags.ts';
import { listUsers } from '#contract/users.ts';
import type { Project } from '#domain/projects.ts';
import { reading } from '../../server/api.ts';
import type { Environment } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';

/** Where the first steps lead: into the project that one was in last, and its first environment. */
export interface Start {
  readonly project: Project;
  readonly environment: Environment | undefined;
}

const refreshMs = 3_000;

/** Asked again every few seconds, since others (a terminal, another tab) do some of the steps. */
export function useProgress({ project, environment }: Start) {
  const may = useMay();
  const flags = useQuery({
    ...reading(listFlags, { params: { project: project.id }, query: { expand: 'environments', limit: 50 } }),
    refetchInterval: refreshMs,
  });
  const keys = useQuery({
    ...reading(listApiKeys, { query: { limit: 200 } }),
    enabled: may(listApiKeys),
    refetchInterval: refreshMs,
  });
  const users = useQuery({ ...reading(listUsers, { query: { limit: 2 } }), enabled: may(listUsers) });

  const isHere = (flag: { definitions?: { environment: { id: string } }[] }) =>
    (flag.definitions ?? []).some((definition) => definition.environment.id === environment?.id);
  const defined = flags.data?.objects.find(isHere);
  const made = (keys.data?.objects ?? []).filter(
    // Each environment comes with keys for SDKs, and the server with its first admin key.
    ({ createdBy, apiKeyType }) => createdBy.type !== 'system' && apiKeyType === 'admin',
  );
  return {
    flag: defined ?? flags.data?.objects[0],
    isDefined: defined !== undefined,
    key: made.at(-1),
    hasInvited: (users.data?.data.length ?? 0) > 1,
  };
}
