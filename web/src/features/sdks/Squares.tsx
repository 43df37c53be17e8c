import type { CSSProperties } from 'react';
import { number } from './fleet.ts';
import styles from './Squares.module.css';

interface Props {
  readonly converged: number;
  readonly behind: number;
  readonly silent: number;
}

const [width, tallest] = [350, 150];
const maxSquares = 2_000;

/** One square for each instance, in the order in which they caught up; a bar if there are too many. */
export function Squares(props: Props) {
  const { converged, behind, silent } = props;
  const count = converged + behind + silent;
  if (count > maxSquares) return <States {...props} size="thick" />;
  const cell = Math.max(4, Math.min(12, Math.floor(Math.sqrt((width * tallest) / count))));
  const columns = Math.floor(width / cell);
  const rows = Math.ceil(count / columns);
  const side = cell - Math.max(1, Math.round(cell / 4));
  const squares = (from: number, many: number) =>
    Array.from({ length: many }, (_, index) => {
      const [row, column] = [Math.floor((from + index) / columns), (from + index) % columns];
      return `M${column * cell + 1} ${row * cell + 1}h${side}v${side}h-${side}z`;
    }).join('');
  return (
    <svg
      className={styles.squares}
      viewBox={`0 0 ${width} ${rows * cell + 2}`}
      style={{ height: rows * cell + 2 }}
      preserveAspectRatio="xMinYMin meet"
      role="img"
      aria-label={inWords(props)}
    >
      <path className={styles.converged} d={squares(0, converged)} />
      <path className={styles.behind} d={squares(converged, behind)} />
      <path className={styles.silent} d={squares(converged + behind, silent)} />
    </svg>
  );
}

const inWords = ({ converged, behind, silent }: Props): string =>
  `${number(converged)} current, ${number(behind)} waiting, ${number(silent)} silent`;

/** The same as a bar. */
export const States = ({ size, ...props }: Props & { readonly size: 'thin' | 'thick' }) => (
  <div className={`${styles.bar} ${styles[size]}`} role="img" aria-label={inWords(props)}>
    {(['converged', 'behind', 'silent'] as const).map(
      (state) =>
        props[state] > 0 && (
          <span key={state} className={styles[state]} style={{ flexGrow: props[state] } satisfies CSSProperties} />
        ),
    )}
  </div>
);

/** Before the word for the state. */
export const StateMark = ({ state }: { readonly state: keyof Props }) => (
  <span className={`${styles.mark} ${styles[state]}`} aria-hidden />
);
