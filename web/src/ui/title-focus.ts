/**
 * Who goes to another page hears its title first: the focus goes there as soon as the title is there, which may be
 * after the page is. Where the title stays it is the same page: a dialog over it opened or closed, say.
 */

let isAwaited = false;

export function pageIsLeft(): void {
  isAwaited = true;
}

export function pageIsThere(): void {
  if (document.querySelector('h1')) isAwaited = false;
}

/** Called when a title is new on the page. */
export function titleAppeared(title: HTMLHeadingElement): void {
  if (!isAwaited) return;
  isAwaited = false;
  // A dialog that the address opens has the focus already.
  if (!document.querySelector('dialog[open]')) title.focus();
}
