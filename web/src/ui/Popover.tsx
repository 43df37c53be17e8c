import { Fragment, type ReactNode, type ToggleEvent, useEffect, useId, useRef, useState } from 'react';
import styles from './Popover.module.css';
import { type Placement, place } from './placement.ts';

/** Props for the button that opens it. */
export interface TriggerProps {
  readonly id: string;
  readonly popoverTarget: string;
  readonly 'aria-expanded': boolean;
  readonly 'aria-haspopup': 'dialog' | 'menu' | 'listbox';
}

interface Props extends Placement {
  readonly trigger: (props: TriggerProps) => ReactNode;
  /** Its accessible name. */
  readonly label: string;
  readonly haspopup?: TriggerProps['aria-haspopup'];
  /** Rendered only while it is open. Its first element with `autofocus` or `data-autofocus` takes the focus. */
  readonly children: (close: () => void) => ReactNode;
}

/**
 * A small floating panel next to its button. The native popover renders above dialogs, closes on Escape and on a
 * click outside, and restores the focus.
 */
export function Popover({ trigger, label, haspopup = 'dialog', align, isWide, children }: Props) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  /** When it opened; zero while closed. */
  const [openedAt, setOpenedAt] = useState(0);
  const isOpen = openedAt > 0;
  const settle = () => {
    const anchor = document.getElementById(`${id}-trigger`);
    if (panel.current && anchor) place(panel.current, anchor, { align, isWide });
  };
  const settled = useRef(settle);
  settled.current = settle;

  useEffect(() => {
    if (openedAt === 0) return;
    panel.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    const follow = () => settled.current();
    addEventListener('scroll', follow, true);
    addEventListener('resize', follow);
    return () => {
      removeEventListener('scroll', follow, true);
      removeEventListener('resize', follow);
    };
  }, [openedAt]);

  return (
    <>
      {trigger({
        id: `${id}-trigger`,
        popoverTarget: `${id}-panel`,
        'aria-expanded': isOpen,
        'aria-haspopup': haspopup,
      })}
      <div
        id={`${id}-panel`}
        ref={panel}
        popover="auto"
        {...(haspopup === 'dialog' ? { role: 'dialog', 'aria-label': label } : {})}
        className={styles.panel}
        onBeforeToggle={({ newState }: ToggleEvent) => {
          if (newState === 'open') settle();
        }}
        // If it closes and reopens quickly, only the open event arrives; the content must still reset.
        onToggle={({ newState, timeStamp }: ToggleEvent) => setOpenedAt(newState === 'open' ? timeStamp : 0)}
      >
        {isOpen && <Fragment key={openedAt}>{children(() => panel.current?.hidePopover())}</Fragment>}
      </div>
    </>
  );
}
