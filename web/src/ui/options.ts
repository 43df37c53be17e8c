/** Tracks the active option of a list while the focus stays in the text field above. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';

export interface ActiveOption {
  readonly active: number;
  readonly setActive: (index: number) => void;
  /** For the text field. Returns true if the list handled the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  readonly listRef: React.RefObject<HTMLDivElement | null>;
}

/** `choose` gets the index that Enter chose. Resets when `reset` changes. */
export function useActiveOption(count: number, choose: (index: number) => void, reset: unknown): ActiveOption {
  const [active, setActive] = useState(0);
  const listRef = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: typing resets it
  useEffect(() => setActive(0), [reset]);
  useEffect(() => {
    listRef.current?.querySelector(`[data-option="${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const at = Math.min(active, count - 1);
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (event.nativeEvent.isComposing || count === 0) return false;
    const next = { ArrowDown: (at + 1) % count, ArrowUp: (at - 1 + count) % count }[event.key];
    if (next !== undefined) setActive(next);
    else if (event.key === 'Enter') choose(at);
    else return false;
    event.preventDefault();
    return true;
  };
  return { active: at, setActive, onKeyDown, listRef };
}
