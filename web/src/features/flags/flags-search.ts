/** Search parameters of the flag list, so that a shared link shows the same list. */
import type { SearchParams } from '../../state/search-params.ts';

export interface FlagsSearch {
  /** Part of the name. */
  readonly q?: string | undefined;
  /** Rollout status name. */
  readonly status?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  /** The environments to show, if there are too many for all. */
  readonly env?: readonly string[] | undefined;
}

export const flagsSearch = ({ q, status, tag, env }: SearchParams): FlagsSearch => ({
  q: textOf(q),
  status: textOf(status),
  tag: listOf(tag),
  env: listOf(env),
});

type Value = SearchParams[string];
const textOf = (value: Value): string | undefined => (typeof value === 'object' ? value[0] : value) || undefined;
const listOf = (value: Value): readonly string[] | undefined => (typeof value === 'string' ? [value] : value);
