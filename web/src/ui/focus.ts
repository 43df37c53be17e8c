/** Moves the focus when a part of a page opens or closes, so that it is not lost to the body. */
import { useEffect, useRef } from 'react';

/** For the first element of a part that just opened. */
export function useFocusOnOpen<E extends HTMLElement>() {
  const target = useRef<E>(null);
  useEffect(() => target.current?.focus(), []);
  return target;
}

/** For the button that opens something: gets the focus back when that closes. */
export function useFocusOnClose<E extends HTMLElement>(isOpen: boolean) {
  const target = useRef<E>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen) target.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return target;
}

/** Moves the focus to the title when the focused button has left the page. */
export const focusWhenLost = (): void =>
  void setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus();
  });
