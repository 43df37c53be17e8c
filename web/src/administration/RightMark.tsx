import { Eye, Pencil, Power } from 'lucide-react';
import type { Verdict } from '#domain/explained-rights.ts';
import styles from './RightMark.module.css';

const icons = { view: Eye, define: Pencil, kill: Power };

interface Props {
  readonly right: keyof typeof icons;
  /** Has it or not, or will after saving. */
  readonly state: 'has' | 'lacks' | 'gains' | 'loses';
  /** Someone else must approve what they do with it. */
  readonly isGuarded?: boolean | undefined;
}

/** "Can edit, with approval". */
export const canWords = ({ may, withApproval }: Pick<Verdict, 'may' | 'withApproval'>, what: string): string =>
  `${may ? 'Can' : 'Cannot'} ${what}${withApproval ? ' with approval' : ''}`;

/** The icon of a right. The text next to it says the same. */
export function RightMark({ right, state, isGuarded = false }: Props) {
  const Icon = icons[right];
  return (
    <i
      className={`${styles.mark} ${styles[state]} ${styles[right]} ${isGuarded ? styles.guarded : ''}`}
      data-state={state}
      aria-hidden
    >
      <Icon size={14} strokeWidth={1.75} />
    </i>
  );
}
