import { TreatmentName } from '../../ui/Bar.tsx';
import { useDefinition } from './editor.ts';
import styles from './Sample.module.css';
import { useMovement } from './use-movement.ts';

const percent = (count: number, of: number): string => `${((count / of) * 100).toFixed(1)}%`;

/** How the shares move over the sample, and how many keys switch sides. */
export function SampleCounts() {
  const { order, draft, saved } = useDefinition();
  const movement = useMovement();
  if (!movement) return <p className={styles.words}>The draft is not complete.</p>;
  const { treatments, moved, moves, of } = movement;
  const hasBoth = draft !== undefined && saved !== undefined;
  return (
    <>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Treatment</th>
            {hasBoth && <th scope="col">Now</th>}
            <th scope="col">{draft ? 'After' : 'Now'}</th>
          </tr>
        </thead>
        <tbody>
          {treatments
            .filter(({ before, after }) => before + after > 0 && (hasBoth || after > 0))
            .map(({ treatment, before, after }) => (
              <tr key={treatment}>
                <th scope="row">
                  <TreatmentName treatment={treatment} order={order} />
                </th>
                {hasBoth && <td>{percent(before, of)}</td>}
                <td>{percent(after, of)}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {hasBoth && (
        <p className={styles.words}>
          {moved === 0
            ? 'None of them switches sides.'
            : `${moved.toLocaleString('en')} of them switch sides: ${moves
                .map(({ from, to, keys }) => `${keys.toLocaleString('en')} from ${from} to ${to}`)
                .join(', ')}.`}
        </p>
      )}
      <p className={styles.words}>Made-up keys, all with the attributes above.</p>
    </>
  );
}
