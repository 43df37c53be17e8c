/** What can be done on the page: by a key, from the palette, and listed in the dialog that `?` opens. */
import type { LucideIcon } from 'lucide-react';
import { useEffect, useId } from 'react';
import { noticesOf } from './notices.ts';

export interface PageAction {
  readonly label: string;
  /** One key (`n`, `?`, `1`), or with Ctrl or Cmd (`mod+s`). */
  readonly keys?: string;
  readonly icon?: LucideIcon;
  readonly run: () => void;
  /** Moves about in the page: listed with the shortcuts, but nothing that one would search for. */
  readonly isMove?: boolean;
}

const byComponent = noticesOf<ReadonlyMap<string, readonly PageAction[]>>(new Map());

/** Offers the actions while the component is on the page. */
export function usePageActions(actions: readonly PageAction[]): void {
  const id = useId();
  useEffect(() => {
    byComponent.set(new Map(byComponent.get()).set(id, actions));
  });
  useEffect(
    () => () => {
      const rest = new Map(byComponent.get());
      rest.delete(id);
      byComponent.set(rest);
    },
    [id],
  );
}

export const useAllPageActions = (): PageAction[] => flat(byComponent.use());

const flat = (map: ReadonlyMap<string, readonly PageAction[]>): PageAction[] => [...map.values()].flat();

/** Runs the action that the key belongs to. For the whole page, once. */
export function runShortcut(event: KeyboardEvent): void {
  // Browsers that fill in a form send keys that have no name.
  if (!event.key || event.defaultPrevented || event.isComposing || event.altKey) return;
  const hasMod = event.ctrlKey || event.metaKey;
  if (!hasMod && (!singleKeys.areOn() || isBusy(event.target))) return;
  const keys = `${hasMod ? 'mod+' : ''}${event.key.toLowerCase()}`;
  // A dialog has its own keys; what lies behind it has none.
  const action = document.querySelector('dialog[open]')
    ? undefined
    : flat(byComponent.get()).findLast((one) => one.keys === keys);
  if (!action) return;
  event.preventDefault();
  action.run();
}

/** Where keys mean letters, or already mean something else. */
const isBusy = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=menu], [role=listbox], [role=slider]',
  ) !== null;

/** People whose keys come from speech or a switch can have no single keys (WCAG 2.1.4). */
export const singleKeys = {
  areOn: (): boolean => localStorage.getItem('single-keys') !== 'off',
  set: (on: boolean): void =>
    on ? localStorage.removeItem('single-keys') : localStorage.setItem('single-keys', 'off'),
};
