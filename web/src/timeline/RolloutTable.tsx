import type { RolloutHistory } from '#domain/rollouts.ts';
import { EditorName } from '../kit/EditorName.tsx';
import type { Environment } from '../server/project.ts';
import { percent } from '../ui/percent.ts';
import { exact, movesOf, titleOf } from './ChangeCard.tsx';
import { aroundChange } from './geometry.ts';
import styles from './RolloutTable.module.css';
import { VersionLink } from './VersionLink.tsx';

interface Props {
  readonly history: RolloutHistory;
  readonly environment: Environment;
}

/** The timeline as a table, newest first. */
export function RolloutTable({ history: { points, changes }, environment }: Props) {
  if (changes.length === 0) return <p className={styles.none}>No changes in this period.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section className={styles.frame} tabIndex={0} aria-label="Changes as a table">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Change</th>
            <th scope="col">Who</th>
            <th scope="col">What moved</th>
            <th scope="col">Afterwards</th>
          </tr>
        </thead>
        <tbody>
          {changes.toReversed().map((change) => {
            const { after } = aroundChange(points, change.at);
            return (
              <tr key={change.id}>
                <td className="num">{exact.format(change.at)}</td>
                <td>
                  <VersionLink environment={environment} change={change.id}>
                    {titleOf(change)}
                  </VersionLink>
                  {change.count > 1 && ` and ${change.count - 1} shortly before`}
                </td>
                <td>
                  <EditorName editor={change.editor} />
                </td>
                <td>
                  {movesOf(points, change)
                    .map(([what, how]) => `${what} ${how}`)
                    .join(', ') || 'No share'}
                </td>
                <td>{after?.shares.map(({ treatment, size }) => `${treatment} ${percent(size)}`).join(', ')}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
