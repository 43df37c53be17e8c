import { Eye, Pencil, Power } from 'lucide-react';
import styles from './RightMark.module.css';

const icons = { view: Eye, define: Pencil, kill: Power };

interface Props {
  readonly right: keyof typeof icons;
  /** Has it or not, or will after saving. */
  readonly state: 'has' | 'lacks' | 'gains' | 'loses';
}

/** The icon of a right. Words beside it say the same. */
export function RightMark({ right, state }: Props) {
  const Icon = icons[right];
  return (
    <i className={`${styles.mark} ${styles[state]} ${styles[right]}`} data-state={state} aria-hidden>
      <Icon size={14} strokeWidth={1.75} />
    </i>
  );
}
