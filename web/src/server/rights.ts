/** What the signed-in user may do in the current project. */
import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import {
  createDefinition,
  killDefinition,
  patchDefinition,
  restoreDefinition,
  undeleteDefinition,
} from '#contract/definitions.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { patchFlag } from '#contract/flags.ts';
import { explainAccess } from '#contract/rights.ts';
import { rightNeeded } from '#domain/rights.ts';
import { reading } from './api.ts';
import { FlagContext } from './flag.ts';
import { useProject } from './project.ts';
import { definitionsRefreshMs } from './query-client.ts';
import { useMe } from './session.ts';

interface Where {
  /** The id. */
  readonly environment?: string;
  /** Those of the flag, who may edit it if the project says so. */
  readonly owners?: readonly { readonly id: string }[];
}

/** What an archived flag refuses. */
const changing: readonly Endpoint[] = [
  patchFlag,
  createDefinition,
  patchDefinition,
  killDefinition,
  restoreDefinition,
  undeleteDefinition,
];

export type WhyNot = (endpoint: Endpoint, where?: Where) => string | undefined;

/**
 * Why the user may not call an endpoint here, and whom to ask: `whyNot(createFlag)`. Undefined if they may, and while
 * that is not known: the server decides.
 */
export function useWhyNot(): WhyNot {
  const me = useMe();
  const project = useProject();
  const { data } = useQuery({
    ...reading(explainAccess, { query: { project: project.id, limit: 1 } }),
    enabled: !me.administrator,
    refetchInterval: definitionsRefreshMs,
  });
  const rights = data?.objects[0];
  const isArchived = useContext(FlagContext)?.archivedAt !== undefined;
  return (endpoint, { environment, owners = [] } = {}) => {
    const { access } = endpoint;
    if (isArchived && changing.includes(endpoint)) return 'This flag is archived. Unarchive it to change it.';
    if (me.administrator || !rights || typeof access === 'string') return undefined;
    const mine = new Set([me.user.id, ...data.groups.map(({ id }) => id)]);
    if (rights.ownersEdit && owners.some(({ id }) => mine.has(id))) return undefined;
    const right = rightNeeded[access.needs];
    const verdict =
      right === 'view' || right === 'edit'
        ? rights[right]
        : rights.environments.find(({ id }) => id === environment)?.[right];
    return !verdict || verdict.may ? undefined : `${verdict.reason} ${data.ask}`;
  };
}
