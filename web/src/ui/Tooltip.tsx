import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { place } from './placement.ts';
import styles from './Tooltip.module.css';

interface Props {
  readonly text: string;
  /** The element it describes: its first focusable element gets the description. */
  readonly children: ReactNode;
}

/** Text on hover and focus. Never put essential information only here. */
export function Tooltip({ text, children }: Props) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const bubble = useRef<HTMLSpanElement>(null);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const target = anchor.current?.querySelector('button, a, input, [tabindex]');
    target?.setAttribute('aria-describedby', id);
  }, [id]);
  useEffect(() => {
    if (!isShown || !bubble.current || !anchor.current) return;
    place(bubble.current, anchor.current, {});
    // The style sheet's is narrower than the window.
    bubble.current.style.maxWidth = '';
    bubble.current.showPopover();
    const hideOnEscape = ({ key }: KeyboardEvent) => key === 'Escape' && setShown(false);
    addEventListener('keydown', hideOnEscape);
    const element = bubble.current;
    return () => {
      removeEventListener('keydown', hideOnEscape);
      element.hidePopover();
    };
  }, [isShown]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only shows the text
    <span
      ref={anchor}
      className={styles.anchor}
      onPointerEnter={() => setShown(true)}
      onPointerLeave={() => setShown(false)}
      onFocus={() => setShown(true)}
      onBlur={() => setShown(false)}
    >
      {children}
      <span ref={bubble} id={id} role="tooltip" popover="manual" className={styles.bubble}>
        {text}
      </span>
    </span>
  );
}
