import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import styles from './Modal.module.css';

interface Props {
  readonly title: string;
  /** One or two sentences below the title. */
  readonly about?: ReactNode;
  /** An alert asks before something is lost, so a click outside does not close it. */
  readonly kind?: 'dialog' | 'alert' | undefined;
  readonly size?: 'narrow' | 'normal' | 'wide' | 'palette';
  /** Escape, a click outside, or Cancel. To stay open, keep rendering it. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A dialog, open while rendered. The native element provides the top layer, an inert page behind it, Escape, and
 * focus restoration. It adds no style tag, so it works under our Content-Security-Policy.
 */
export function Modal({ title, about, kind = 'dialog', size = 'normal', onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Content renders after the dialog opens, because `autoFocus` only works on visible elements.
  const [isShown, setShown] = useState(false);
  useLayoutEffect(() => {
    if (isShown) focusStart(dialog.current);
  }, [isShown]);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    setShown(true);
    // Closed before removal, because removing the element would not restore the focus.
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
        // Browsers close it without asking on a second Escape. The page decides whether it closes.
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

/** The first field, or else the first button, which is the harmless one. */
function focusStart(dialog: HTMLDialogElement | null): void {
  if (!dialog || (document.activeElement !== dialog && dialog.contains(document.activeElement))) return;
  const field = dialog.querySelector<HTMLElement>(':is(input, select, textarea):not([hidden], [readonly], :disabled)');
  (field ?? dialog.querySelector<HTMLElement>('button'))?.focus();
}

export const ModalBody = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles.body}>{children}</div>
);

interface FootProps {
  /** On the left: secondary content. */
  readonly aside?: ReactNode;
  /** Amber: the action affects production. */
  readonly edge?: 'plain' | 'production';
  readonly children: ReactNode;
}

/** The buttons; the primary one comes last. */
export const ModalFoot = ({ aside, edge = 'plain', children }: FootProps) => (
  <footer className={`${styles.foot} ${edge === 'production' ? styles.production : ''}`}>
    <div className={styles.aside}>{aside}</div>
    {children}
  </footer>
);
