/** Which of the first steps are done, judged by what exists. */
import { useQuery } from '@tanstack/react-query';
import { listApiKeys } from '#contract/api-keys.ts';
import { listFlags } from '#contract/flags.ts';
import { listUsers } from '#contract/users.ts';
import type { Project } from '#domain/projects.ts';
import { reading } from '../../server/api.ts';
import type { Environment } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';

/** The project visited last, and its first environment. */
export interface Start {
  readonly project: Project;
  readonly environment: Environment | undefined;
}

const refreshMs = 3_000;

/** Polls, because some steps are done in a terminal or another tab. */
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
    // SDK keys come with each environment, and the first admin key with the server.
    ({ createdBy, apiKeyType }) => createdBy.type !== 'system' && apiKeyType === 'admin',
  );
  return {
    flag: defined ?? flags.data?.objects[0],
    isDefined: defined !== undefined,
    key: made.at(-1),
    hasInvited: (users.data?.data.length ?? 0) > 1,
  };
}
