/** Saved views of the list: what they keep, and how the list shown now differs from one. */
import type { View } from '#domain/views.ts';
import { parseSearch, stringifySearch } from '../../state/search-params.ts';
import type { ColumnChoices } from './columns.ts';
import { type FlagsSearch, flagsSearch, nothingChosen } from './flags-search.ts';

/** As the address names it. */
export const addressOf = ({ name, shared }: Pick<View, 'name' | 'shared'>): string =>
  `${shared ? 'shared' : 'own'}/${name}`;

/** The whole search of the view; what it does not keep is reset. */
export const searchOf = (view: View): FlagsSearch => ({
  ...nothingChosen,
  ...flagsSearch(parseSearch(view.query)),
  view: addressOf(view),
});

/** What a view keeps of the search, in a fixed order. */
export const queryOf = ({ view: _, ...search }: FlagsSearch): string =>
  stringifySearch({ ...flagsSearch({ ...search }) })
    .replace(/^\?/, '')
    .split('&')
    .sort()
    .join('&');

export const choicesOf = (columns: readonly string[]): ColumnChoices =>
  Object.fromEntries(columns.map((name) => (name.startsWith('-') ? [name.slice(1), false] : [name, true])));

export const columnsOf = (choices: ColumnChoices): string[] =>
  Object.entries(choices)
    .map(([name, isShown]) => (isShown ? name : `-${name}`))
    .sort();

/** Whether the list shown now differs from what the view keeps. */
export const isChanged = (view: View, search: FlagsSearch, choices: ColumnChoices): boolean =>
  queryOf(searchOf(view)) !== queryOf(search) ||
  columnsOf(choicesOf(view.columns)).join('\n') !== columnsOf(choices).join('\n');
