/** The saved definitions of a flag. */
import type { QueryClient } from '@tanstack/react-query';
import type { getFlag } from '#contract/flags.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import type { Answer } from '../../../server/api.ts';
import { flagReading, useFlag } from '../../../server/flag.ts';

/** The saved definition of the current flag in one environment; undefined if there is none. */
export const useSaved = (environmentId: string): ExpandedDefinition | undefined =>
  useFlag().definitions.find(({ environment }) => environment.id === environmentId);

/**
 * Puts the response to a change into the cache, so that nothing flickers. Cancels a running query, which
 * may have started before the change.
 */
export async function keepDefinition(
  client: QueryClient,
  params: { readonly project: string; readonly flag: string },
  changed: Pick<ExpandedDefinition, 'environment' | 'etag'>,
): Promise<void> {
  const { queryKey } = flagReading(params.project, params.flag);
  await client.cancelQueries({ queryKey });
  const replace = (definition: ExpandedDefinition) =>
    definition.environment.id === changed.environment.id ? { ...definition, ...changed } : definition;
  client.setQueryData<Answer<typeof getFlag>>(queryKey, (flag) =>
    flag?.definitions ? { ...flag, definitions: flag.definitions.map(replace) } : flag,
  );
}
