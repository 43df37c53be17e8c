/**
 * Moves the focus to the title after navigation, so that screen readers announce it. The title may render
 * after the page. An unchanged title means the same page, for example with a dialog opened or closed.
 */

let isAwaited = false;

export function pageIsLeft(): void {
  isAwaited = true;
}

export function pageIsThere(): void {
  const title = document.querySelector('h1');
  if (!title) return;
  // The title stays when a view below it changes. So does the focus, unless its element left with the old view.
  if (isAwaited && document.activeElement === document.body) title.focus();
  isAwaited = false;
}

/** Called when a title mounts. */
export function titleAppeared(title: HTMLHeadingElement): void {
  if (!isAwaited) return;
  isAwaited = false;
  // A dialog opened by the address already has the focus.
  if (!document.querySelector('dialog[open]')) title.focus();
}
