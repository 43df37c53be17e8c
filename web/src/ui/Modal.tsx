import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import styles from './Modal.module.css';

interface Props {
  readonly title: string;
  /** One or two sentences below the title. */
  readonly about?: ReactNode;
  /** An alert asks before something is lost: it does not go away by a click beside it. */
  readonly kind?: 'dialog' | 'alert' | undefined;
  readonly size?: 'narrow' | 'normal' | 'wide' | 'palette';
  /** Escape, a click beside it, or Cancel. Who does not want to be closed goes on rendering it. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A dialog over the page: rendered is open. The native element gives the top layer, an inert page behind it, Escape, and
 * focus that goes back to the opener. It adds no style tag, so it works under our Content-Security-Policy.
 */
export function Modal({ title, about, kind = 'dialog', size = 'normal', onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // What is inside comes a moment later than the dialog: only what can be seen can take the focus by `autoFocus`.
  const [isShown, setShown] = useState(false);
  useLayoutEffect(() => {
    if (isShown) focusStart(dialog.current);
  }, [isShown]);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    setShown(true);
    // Before it leaves the page: an element that is simply removed would not give the focus back.
    return () => element?.close();
  }, []);
  const ask = (event: { preventDefault(): void }) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      className={`${styles.dialog} ${styles[size]}`}
      role={kind === 'alert' ? 'alertdialog' : undefined}
      aria-labelledby={`${id}-title`}
      aria-describedby={about === undefined ? undefined : `${id}-about`}
      onCancel={ask}
      onClose={({ currentTarget }) => {
        // The browser closes it without asking when Escape is pressed twice. Whether it closes is for the page to say.
        if (currentTarget.open) return;
        currentTarget.showModal();
        onClose();
      }}
      onPointerDown={(event) => {
        if (kind === 'dialog' && event.target === dialog.current) ask(event);
      }}
    >
      <div className={styles.frame}>
        <header className={size === 'palette' ? 'sr' : styles.head}>
          <h2 id={`${id}-title`} className={styles.title}>
            {title}
          </h2>
          {about !== undefined && (
            <div id={`${id}-about`} className={styles.about}>
              {about}
            </div>
          )}
        </header>
        {isShown && children}
      </div>
    </dialog>
  );
}

/** The first field to fill in; where there is none the first button, which is the one that changes nothing. */
function focusStart(dialog: HTMLDialogElement | null): void {
  if (!dialog || (document.activeElement !== dialog && dialog.contains(document.activeElement))) return;
  const field = dialog.querySelector<HTMLElement>(':is(input, select, textarea):not([hidden], [readonly], :disabled)');
  (field ?? dialog.querySelector<HTMLElement>('button'))?.focus();
}

export const ModalBody = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles.body}>{children}</div>
);

interface FootProps {
  /** At the left end: what is not the way on. */
  readonly aside?: ReactNode;
  /** Amber: what comes next happens in production. */
  readonly edge?: 'plain' | 'production';
  readonly children: ReactNode;
}

/** The buttons; the one that goes on comes last. */
export const ModalFoot = ({ aside, edge = 'plain', children }: FootProps) => (
  <footer className={`${styles.foot} ${edge === 'production' ? styles.production : ''}`}>
    <div className={styles.aside}>{aside}</div>
    {children}
  </footer>
);
