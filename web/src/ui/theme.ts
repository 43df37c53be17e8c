/** Light or dark: follows the system unless the user chose. `public/theme.js` applies the choice on load. */
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
const root = document.documentElement;
const changed = 'burgee-theme';

const systemTheme = (): Theme => (system.matches ? 'dark' : 'light');
const currentTheme = (): Theme => (root.dataset.theme as Theme | undefined) ?? systemTheme();

export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme);

/** Choosing the system's theme means following the system again. */
export function chooseTheme(theme: Theme): void {
  if (theme === systemTheme()) {
    delete root.dataset.theme;
    localStorage.removeItem('theme');
  } else {
    root.dataset.theme = theme;
    localStorage.setItem('theme', theme);
  }
  root.dispatchEvent(new Event(changed));
}

function subscribe(listener: () => void): () => void {
  system.addEventListener('change', listener);
  root.addEventListener(changed, listener);
  return () => {
    system.removeEventListener('change', listener);
    root.removeEventListener(changed, listener);
  };
}
