/** Where the focus goes when a part of a page opens or closes. Without this it would be lost to the body. */
import { useEffect, useRef } from 'react';

/** For the first thing to read or fill in of what has just opened. */
export function useFocusOnOpen<E extends HTMLElement>() {
  const target = useRef<E>(null);
  useEffect(() => target.current?.focus(), []);
  return target;
}

/** For the button that opens something: it has the focus again when that closes. */
export function useFocusOnClose<E extends HTMLElement>(isOpen: boolean) {
  const target = useRef<E>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen) target.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return target;
}
