/** Which of the first steps are done, judged by what exists and by what SDKs did. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getDefinition } from '#contract/definitions.ts';
import { listFlags } from '#contract/flags.ts';
import { listUsers } from '#contract/users.ts';
import type { Project } from '#domain/projects.ts';
import { type Answer, reading } from '../../server/api.ts';
import type { Environment } from '../../server/project.ts';
import { useMay, useMe } from '../../server/session.ts';

/** The project visited last, and the environment chosen on the page or the first one. */
export interface Start {
  readonly project: Project;
  readonly environment: Environment | undefined;
}

export type DefinitionAnswer = Answer<typeof getDefinition>;

const refreshMs = 3_000;

/** Polls, because some steps are done in a terminal or another tab. */
export function useProgress({ project, environment }: Start) {
  const may = useMay();
  const me = useMe().user.id;
  const params = { project: project.id };
  const query = { expand: 'environments', sort: 'created', limit: 50 } as const;
  const newestOwn = useQuery({
    ...reading(listFlags, { params, query: { ...query, order: 'desc', owner: [me] } }),
    refetchInterval: refreshMs,
  });
  const own = newestOwn.data?.objects ?? [];
  const oldest = useQuery({
    ...reading(listFlags, { params, query }),
    enabled: newestOwn.data?.objects.length === 0,
    refetchInterval: refreshMs,
  });
  const users = useQuery({ ...reading(listUsers, { query: { limit: 2 } }), enabled: may(listUsers) });

  const isHere = (flag: { definitions?: { environment: { id: string } }[] }) =>
    (flag.definitions ?? []).some((definition) => definition.environment.id === environment?.id);
  const candidates = [...own, ...(oldest.data?.objects ?? [])];
  // The page changes what people get, so it stays with one flag, whatever others create.
  const [kept, setKept] = useState<string>();
  const flag = candidates.find(({ id }) => id === kept) ?? candidates.find(isHere) ?? candidates[0];
  if (flag && flag.id !== kept) setKept(flag.id);
  const defined = flag && isHere(flag) ? flag : undefined;
  const place = { ...params, flag: defined?.name ?? '', environment: environment?.id ?? '' };
  const definition = useQuery({
    ...reading(getDefinition, { params: place }),
    enabled: defined !== undefined,
    refetchInterval: refreshMs,
    // Keeps the page, and so the focus, while another environment loads.
    placeholderData: keepPreviousData,
  });
  return {
    isLoading: newestOwn.isPending || oldest.isLoading || (defined !== undefined && definition.isPending),
    flag,
    isOwn: own.some(({ id }) => id === flag?.id),
    /** The flag's definition in the environment. */
    definition: defined && definition.data,
    hasInvited: (users.data?.data.length ?? 0) > 1,
  };
}

/** The treatment of everyone who matches no rule; undefined if there are several. */
export const treatmentOfOthers = ({ defaultRule }: Pick<DefinitionAnswer, 'defaultRule'>): string | undefined =>
  defaultRule.find(({ size }) => size === 100)?.treatment;

export function definitionInWords({ killed, defaultTreatment, rules, treatments, ...rest }: DefinitionAnswer): string {
  if (killed) return `killed, everyone gets ${defaultTreatment}`;
  const isTargeted = rules.length > 0 || treatments.some(({ keys, segments }) => keys?.length || segments?.length);
  const treatment = treatmentOfOthers({ defaultRule: rest.defaultRule });
  if (treatment === undefined) return 'rolled out by percentage';
  return `everyone${isTargeted ? ' else' : ''} gets ${treatment}`;
}
