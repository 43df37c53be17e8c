import { Check, CircleDashed } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './Obstacles.module.css';

/** What prevents a deletion: a list of Obstacle. */
export const Obstacles = ({ children }: { readonly children: ReactNode }) => (
  <ul className={styles.list}>{children}</ul>
);

interface Props {
  readonly isThere: boolean;
  /** "2 API keys reach it". */
  readonly title: string;
  /** Details and a link to remove them. Hidden when there are none. */
  readonly children: ReactNode;
}

export const Obstacle = ({ isThere, title, children }: Props) => (
  <li className={isThere ? styles.there : styles.gone}>
    {isThere ? <CircleDashed size={16} aria-hidden /> : <Check size={16} aria-hidden />}
    <div className={styles.words}>
      <p className={styles.title}>{title}</p>
      {isThere && <p className={styles.about}>{children}</p>}
    </div>
  </li>
);
