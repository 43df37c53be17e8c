/** Short messages at the bottom of the page. */
import { noticesOf } from './notices.ts';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'done' | 'failed';
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
  /** It will say more, and stays until then. */
  readonly isFollowing?: boolean;
  /** What it is about: the next message about the same replaces it, and with it an action that is too late. */
  readonly about?: string | undefined;
}

const shown = noticesOf<readonly Toast[]>([]);
let lastId = 0;

export const useToasts = shown.use;

/** "Saved to Staging." Disappears after six seconds; the action ("Undo") is available until then. */
export const toast = (text: string, action?: Toast['action'], about?: string): number =>
  add({ text, kind: 'done', action, about });

/** False if it is no longer shown. */
export function changeToast(id: number, changed: Pick<Toast, 'text' | 'action' | 'isFollowing'>): boolean {
  const before = shown.get();
  if (!before.some((one) => one.id === id)) return false;
  shown.set(before.map((one) => (one.id === id ? { ...one, ...changed } : one)));
  return true;
}

/** A failure that no part of the page can show. Stays until dismissed. */
export const toastFailure = (text: string): void => void add({ text, kind: 'failed' });

export const dismissToast = (id: number): void => shown.set(shown.get().filter((one) => one.id !== id));

function add(toastWithoutId: Omit<Toast, 'id'>): number {
  lastId += 1;
  shown.set(withToast(shown.get(), { ...toastWithoutId, id: lastId }));
  return lastId;
}

const maxDone = 3;

/** A new message replaces the oldest, and the one about the same; failures stay, without duplicates. */
export function withToast(before: readonly Toast[], added: Toast): Toast[] {
  const isReplaced = ({ kind, text, about }: Toast) =>
    kind === 'done' ? about !== undefined && about === added.about : text === added.text;
  const all = [...before.filter((one) => !isReplaced(one)), added];
  const done = all.filter(({ kind }) => kind === 'done').slice(-maxDone);
  return all.filter((one) => one.kind === 'failed' || done.includes(one));
}
