import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { dismissToast, type Toast, useToasts } from '../state/toasts.ts';
import { Button } from '../ui/Button.tsx';
import styles from './Toasts.module.css';

const staysMs = 6_000;

/** Always rendered, because screen readers only announce changes in existing live regions. */
export function Toasts() {
  const toasts = useToasts();
  const ofKind = (kind: Toast['kind']) =>
    toasts.filter((toast) => toast.kind === kind).map((toast) => <ToastBox key={toast.id} toast={toast} />);
  return (
    <div className={styles.place}>
      <div role="status">{ofKind('done')}</div>
      <div role="alert">{ofKind('failed')}</div>
    </div>
  );
}

function ToastBox({ toast: { id, text, kind, action, isFollowing = false } }: { readonly toast: Toast }) {
  // Stays while hovered or focused.
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (kind === 'failed' || isHeld || isFollowing) return;
    const timer = setTimeout(() => dismissToast(id), staysMs);
    return () => clearTimeout(timer);
  }, [id, kind, isHeld, isFollowing]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps it open
    <div
      className={`${styles.toast} ${styles[kind]}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p className={styles.text}>{text}</p>
      {action && (
        <Button
          size="small"
          onClick={() => {
            dismissToast(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button look="quiet" size="tiny" aria-label="Dismiss" onClick={() => dismissToast(id)}>
        <X size={14} aria-hidden />
      </Button>
    </div>
  );
}
