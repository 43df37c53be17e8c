/** The navigation as a rail of icons, which leaves room for wide pages. Remembered in this browser. */
import { noticesOf } from '../state/notices.ts';
import { useMedia } from '../ui/use-media.ts';

const storageKey = 'navigation';
const choice = noticesOf<string | null>(localStorage.getItem(storageKey));

export function useIsRail(): boolean {
  const chosen = choice.use();
  const isWide = useMedia('(min-width: 1540px)');
  // There it is a popover.
  const isNarrow = useMedia('(max-width: 900px)');
  return !isNarrow && (chosen === null ? !isWide : chosen === 'rail');
}

export function chooseRail(isRail: boolean): void {
  const chosen = isRail ? 'rail' : 'column';
  localStorage.setItem(storageKey, chosen);
  choice.set(chosen);
}
