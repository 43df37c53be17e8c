/** The definitions of a flag as the server has them. */
import type { QueryClient } from '@tanstack/react-query';
import type { getFlag } from '#contract/flags.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import type { Answer } from '../../../server/api.ts';
import { flagReading, useFlag } from '../../../server/flag.ts';

/** Of the flag that the page is about, in one environment; undefined where it is not defined. */
export const useSaved = (environmentId: string): ExpandedDefinition | undefined =>
  useFlag().definitions.find(({ environment }) => environment.id === environmentId);

/**
 * Puts the answer of a change in the place of what was read before, so that nothing flickers. A reading under way, which
 * may have begun before the change, must not come after it.
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
