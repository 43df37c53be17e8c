/** After something has left the page together with the button that had the focus: from the title one finds on. */
export const focusWhenLost = (): void =>
  void setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus();
  });
