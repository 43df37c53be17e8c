import { useQuery } from '@tanstack/react-query';
import { listViews } from '#contract/views.ts';
import type { View } from '#domain/views.ts';
import { reading } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { noticesOf } from '../../state/notices.ts';
import { type ColumnChoices, chooseColumns, useColumnChoices } from './columns.ts';
import { useFlagsSearch } from './flags-query.ts';
import { addressOf, choicesOf } from './views.ts';

export const useViews = (): readonly View[] => {
  const { id } = useProject();
  return useQuery({ ...reading(listViews, { params: { project: id } }), staleTime: 60_000 }).data ?? [];
};

/** The view that the address names, if it exists. */
export function useCurrentView(): View | undefined {
  const { search } = useFlagsSearch();
  return useViews().find((view) => addressOf(view) === search.view);
}

/** Columns that were chosen since the current view was opened. */
const unsaved = noticesOf<ColumnChoices | undefined>(undefined);
export const forgetUnsavedColumns = (): void => unsaved.set(undefined);

/** The chosen columns: those of the current view, or else the browser's. */
export function useColumns() {
  const view = useCurrentView();
  const ofBrowser = useColumnChoices();
  const sinceOpened = unsaved.use();
  return view
    ? { choices: sinceOpened ?? choicesOf(view.columns), choose: unsaved.set }
    : { choices: ofBrowser, choose: chooseColumns };
}
