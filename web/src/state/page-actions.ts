/** The actions of the page, for shortcuts, the palette and the dialog that `?` opens. */
import type { LucideIcon } from 'lucide-react';
import { useEffect, useId } from 'react';
import { noticesOf } from './notices.ts';
import { toastFailure } from './toasts.ts';

export interface PageAction {
  readonly label: string;
  /** One key (`n`, `?`, `1`), or with Ctrl or Cmd (`mod+s`). */
  readonly keys?: string;
  readonly icon?: LucideIcon;
  readonly run: () => void;
  /** Why it is unavailable; said instead of running it. */
  readonly refusal?: string | undefined;
  /** Navigation within the page: a shortcut, but not in the palette. */
  readonly isMove?: boolean;
  /** It leads to a field to type into, which may take a moment to appear. */
  readonly opensField?: boolean;
}

const byComponent = noticesOf<ReadonlyMap<string, readonly PageAction[]>>(new Map());

/** Registers the actions while the component is mounted. */
export function usePageActions(actions: readonly PageAction[]): void {
  const id = useId();
  useEffect(() => {
    byComponent.set(new Map(byComponent.get()).set(id, actions.map(sayingWhy)));
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

const sayingWhy = ({ refusal, ...action }: PageAction): PageAction =>
  refusal === undefined ? action : { ...action, opensField: false, run: () => toastFailure(refusal) };

export const useAllPageActions = (): PageAction[] => flat(byComponent.use());

const flat = (map: ReadonlyMap<string, readonly PageAction[]>): PageAction[] => [...map.values()].flat();

/** Runs the action for a key press. Registered once for the whole page. */
export function runShortcut(event: KeyboardEvent): void {
  // Autofill sends key events without a key.
  if (!event.key || event.defaultPrevented || event.isComposing || event.altKey) return;
  const hasMod = event.ctrlKey || event.metaKey;
  if (!hasMod && isBusy(event.composedPath()[0])) {
    fieldOpensUntil = 0;
    return;
  }
  if (!hasMod && !singleKeys.areOn()) return;
  // What is typed before the field appears is meant for the field.
  if (!hasMod && performance.now() < fieldOpensUntil) return;
  const keys = `${hasMod ? 'mod+' : ''}${event.key.toLowerCase()}`;
  // Shortcuts are off behind a dialog.
  const action = document.querySelector('dialog[open]')
    ? undefined
    : flat(byComponent.get()).findLast((one) => one.keys === keys);
  if (!action) return;
  event.preventDefault();
  if (action.opensField) fieldOpensUntil = performance.now() + fieldOpensMs;
  action.run();
}

const fieldOpensMs = 1_000;
let fieldOpensUntil = 0;

/** Elements where keys type text or have another meaning. */
const isBusy = (target: EventTarget | undefined): boolean =>
  target instanceof Element &&
  target.closest(
    'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=menu], [role=listbox], [role=slider]',
  ) !== null;

/** Single-key shortcuts can be turned off, for speech input and switches (WCAG 2.1.4). */
export const singleKeys = {
  areOn: (): boolean => localStorage.getItem('single-keys') !== 'off',
  set: (on: boolean): void =>
    on ? localStorage.removeItem('single-keys') : localStorage.setItem('single-keys', 'off'),
};
