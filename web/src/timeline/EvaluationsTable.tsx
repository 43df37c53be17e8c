import type { FlagTraffic } from '#domain/traffic.ts';
import { percent } from '../ui/percent.ts';
import { unitOf, whenOf } from './EvaluationsPlot.tsx';
import { evaluatedTreatments, evaluationSteps } from './evaluations.ts';
import styles from './RolloutTable.module.css';

interface Props {
  readonly traffic: FlagTraffic;
  readonly order: readonly string[];
  readonly from: number;
}

/** The evaluations of each step as a table, newest first, without empty steps. */
export function EvaluationsTable({ traffic, order, from }: Props) {
  const treatments = evaluatedTreatments(traffic, order);
  const steps = evaluationSteps(traffic, treatments, { from, now: Number.POSITIVE_INFINITY, x: () => 0 }).filter(
    ({ total }) => total > 0,
  );
  if (steps.length === 0) return <p className={styles.none}>No evaluations in this period.</p>;
  const unit = unitOf(traffic.stepMilliseconds);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section className={styles.frame} tabIndex={0} aria-label="Evaluations as a table">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{unit === 'day' ? 'Day' : 'Hour'}</th>
            <th scope="col">Evaluations</th>
            {treatments.map((treatment) => (
              <th key={treatment ?? ''} scope="col">
                {treatment ?? 'Not reported'}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.toReversed().map((step) => (
            <tr key={step.at}>
              <td className="num">{whenOf(step, traffic.stepMilliseconds)}</td>
              <td className="num">{step.total.toLocaleString('en')}</td>
              {step.counts.map(({ treatment, count }) => (
                <td key={treatment ?? ''} className="num">
                  {count.toLocaleString('en')} ({percent((count / step.total) * 100)})
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
