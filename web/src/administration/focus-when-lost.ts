/** Moves the focus to the title when the focused button has left the page. */
export const focusWhenLost = (): void =>
  void setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus();
  });
