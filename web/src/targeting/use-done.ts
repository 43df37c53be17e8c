import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** Closes the editor of a rule, unless something is missing: then it is marked, and the first such field gets the focus. */
export function useDone(isIncomplete: boolean, onClose: () => void) {
  const editor = useRef<HTMLDivElement>(null);
  const [isTried, setTried] = useState(false);
  const done = () => {
    if (!isIncomplete) return onClose();
    flushSync(() => setTried(true));
    editor.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  };
  return { editor, isTried, done };
}
