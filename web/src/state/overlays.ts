/** Which of the global dialogs is open. */
import { noticesOf } from './notices.ts';

export type Overlay = 'palette' | 'shortcuts';

const open = noticesOf<Overlay | undefined>(undefined);

export const useOverlay = open.use;
export const openPalette = (): void => open.set('palette');
export const openShortcuts = (): void => open.set('shortcuts');
export const closeOverlay = (): void => open.set(undefined);
