/** Search parameters of the flag list, so that a shared link shows the same list. */
import { type FlagSort, flagSorts } from '#domain/flag-list.ts';
import type { SearchParams } from '../../state/search-params.ts';

/** The filters with several values, joined by "or". */
export const filters = ['status', 'tag', 'owner', 'type', 'state', 'traffic'] as const;
export type Filter = (typeof filters)[number];

export interface FlagsSearch extends Partial<Record<Filter, readonly string[] | undefined>> {
  /** Part of the name or description. */
  readonly q?: string | undefined;
  /** Archived flags, which are otherwise left out. */
  readonly archived?: 'true' | undefined;
  /** Flags with unsaved edits in this browser, in any environment. */
  readonly drafts?: 'true' | undefined;
  /** Flags that the reader watches. */
  readonly watched?: 'true' | undefined;
  /** Opened by Getting started, which continues once the flag is created. */
  readonly start?: 'true' | undefined;
  /** The board instead of the list. */
  readonly board?: 'true' | undefined;
  /** `name`, or `-name` for descending. */
  readonly sort?: string | undefined;
  /** The view that was opened, as `addressOf` names it. What it keeps is in the other parameters. */
  readonly view?: string | undefined;
}

export const flagsSearch = (params: SearchParams): FlagsSearch => ({
  q: textOf(params.q),
  archived: textOf(params.archived) === 'true' ? 'true' : undefined,
  drafts: textOf(params.drafts) === 'true' ? 'true' : undefined,
  watched: textOf(params.watched) === 'true' ? 'true' : undefined,
  start: textOf(params.start) === 'true' ? 'true' : undefined,
  board: textOf(params.board) === 'true' ? 'true' : undefined,
  sort: textOf(params.sort),
  view: textOf(params.view),
  ...Object.fromEntries(filters.map((name) => [name, listOf(params[name])])),
});

type Value = SearchParams[string];
const textOf = (value: Value): string | undefined => (typeof value === 'object' ? value[0] : value) || undefined;
const listOf = (value: Value): readonly string[] | undefined =>
  typeof value === 'string' ? (value === '' ? undefined : [value]) : value;

export const noFilters: FlagsSearch = {
  q: undefined,
  archived: undefined,
  drafts: undefined,
  watched: undefined,
  ...Object.fromEntries(filters.map((name) => [name, undefined])),
};

/** The whole list, as it is without a search. */
export const nothingChosen: FlagsSearch = { ...noFilters, board: undefined, sort: undefined, view: undefined };

const lastChangedFirst = { sort: 'changed', order: 'desc' } as const;

export function sortOf({ sort: text = '' }: FlagsSearch): FlagSort {
  const sort = flagSorts.find((name) => name === text.replace(/^-/, ''));
  return sort ? { sort, order: text.startsWith('-') ? 'desc' : 'asc' } : lastChangedFirst;
}

/** The address of a sort; the usual one needs none. */
export const sortText = ({ sort, order }: FlagSort): string | undefined =>
  sort === lastChangedFirst.sort && order === lastChangedFirst.order
    ? undefined
    : `${order === 'desc' ? '-' : ''}${sort}`;
