/** The state of the list of flags, which is its address: a colleague who gets it sees the same. */
import type { SearchParams } from '../../state/search-params.ts';

export interface FlagsSearch {
  /** Contained in the name. */
  readonly q?: string | undefined;
  /** The name of a rollout status. */
  readonly status?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  /** The environments to show, where there are too many for all. */
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
