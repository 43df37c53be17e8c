import { CloudOff } from 'lucide-react';
import { useIsAway } from '../server/connection.ts';
import styles from './OfflineBar.module.css';

/** Above the page while the server does not answer. It goes by itself, and what was read is read again. */
export function OfflineBar() {
  const isAway = useIsAway();
  return (
    <div role="status">
      {isAway && (
        <p className={styles.bar}>
          <CloudOff size={15} strokeWidth={1.75} aria-hidden />
          No connection. Your draft is kept.
        </p>
      )}
    </div>
  );
}
