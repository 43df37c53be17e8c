import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';
import { hourMs } from '#domain/durations.ts';
import type { RolloutChange } from '#domain/rollouts.ts';
import type { FlagTraffic } from '#domain/traffic.ts';
import { colourOf } from '../kit/treatments.ts';
import { percent } from '../ui/percent.ts';
import { titleOf } from './ChangeCard.tsx';
import styles from './EvaluationsPlot.module.css';
import { bandsOf, type EvaluationStep, evaluatedTreatments, evaluationSteps, highest } from './evaluations.ts';
import type { Step, TimeScale } from './geometry.ts';
import { killsOf } from './geometry.ts';

interface Props {
  readonly traffic: FlagTraffic;
  readonly changes: readonly RolloutChange[];
  /** Of the definition, for the kills. */
  readonly rollout: readonly Step[];
  readonly scale: TimeScale;
  readonly order: readonly string[];
}

const height = 64;
const short = new Intl.NumberFormat('en', { notation: 'compact' });
const whole = new Intl.NumberFormat('en');

/** What SDKs evaluated, on the time axis of the rollout. The pointer or the arrow keys choose a step. */
export function EvaluationsPlot({ traffic, changes, rollout, scale, order }: Props) {
  const hatch = useId();
  const steps = evaluationSteps(traffic, evaluatedTreatments(traffic, order), scale);
  const [chosen, setChosen] = useState<number>();
  const at = Math.min(chosen ?? steps.length - 1, steps.length - 1);
  const step = steps[at];
  if (!step) return <p className={styles.none}>No evaluations in this period.</p>;
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent) => {
    const x = clientX - currentTarget.getBoundingClientRect().left;
    const found = steps.findIndex(({ start, end }) => x >= start && x < end);
    if (found >= 0) setChosen(found);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.min(Math.max(next, 0), steps.length - 1));
  };
  const most = highest(steps);
  const words = stepInWords(step, traffic.stepMilliseconds, changes);
  return (
    <div className={styles.evaluations}>
      <p className={styles.scale} aria-hidden>
        <span>{short.format(most)}</span>
        <span>0</span>
      </p>
      <div
        className={styles.explored}
        role="slider"
        tabIndex={0}
        aria-label={`Evaluations per ${unitOf(traffic.stepMilliseconds)}`}
        aria-valuemin={0}
        aria-valuemax={steps.length - 1}
        aria-valuenow={at}
        aria-valuetext={words}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setChosen(undefined)}
        onKeyDown={onKeyDown}
        onBlur={() => setChosen(undefined)}
      >
        <svg className={styles.plot} width={scale.width} height={height} aria-hidden>
          <pattern id={hatch} width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path className={styles.hatch} d="M0 0V5" />
          </pattern>
          <path className={styles.grid} d={`M0 .5H${scale.width}M0 ${height - 0.5}H${scale.width}`} />
          {killsOf(rollout).map(({ x, width, at: key }) => (
            <rect key={key} className={styles.kill} x={x} y={0} width={width} height={height} />
          ))}
          {bandsOf(steps, height).map(({ treatment, path }) => (
            <path
              key={treatment ?? ''}
              className={styles.band}
              style={{
                fill: treatment === undefined ? `url(#${hatch})` : `var(--t-${colourOf(treatment, order).slot})`,
              }}
              d={path}
            />
          ))}
          {changes.map((change) => (
            <path key={change.id} className={styles.change} d={`M${scale.x(change.at)} 0V${height}`} />
          ))}
          {chosen !== undefined && (
            <rect className={styles.chosen} x={step.start} y={0.5} width={step.end - step.start} height={height - 1} />
          )}
        </svg>
      </div>
      <p className={styles.words} aria-hidden>
        {chosen === undefined ? `Evaluations per ${unitOf(traffic.stepMilliseconds)}. ${sumInWords(steps)}` : words}
      </p>
    </div>
  );
}

export const unitOf = (stepMilliseconds: number): string => (stepMilliseconds > hourMs ? 'day' : 'hour');

const hour = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
/** Days are counted in UTC. */
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
export const whenOf = ({ at }: Pick<EvaluationStep, 'at'>, stepMilliseconds: number): string =>
  stepMilliseconds > hourMs ? `${day.format(at)} UTC` : hour.format(at);

const sumInWords = (steps: readonly EvaluationStep[]): string => {
  const total = steps.reduce((sum, step) => sum + step.total, 0);
  return total === 0 ? 'None in this period.' : `${whole.format(total)} in this period.`;
};

/** "15 Nov, 13:00: 1,200 evaluations, on 40%, off 60%. Ramp to 25% by Liu Wei". */
function stepInWords(
  { at, until, total, counts }: EvaluationStep,
  stepMilliseconds: number,
  changes: readonly RolloutChange[],
): string {
  const shares = counts
    .filter(({ count }) => count > 0)
    .map(({ treatment, count }) => `${treatment ?? 'treatment not reported'} ${percent((count / total) * 100)}`);
  const made = changes
    .filter((change) => change.at >= at && change.at < until)
    .map((change) => `${titleOf(change)} by ${change.editor.name}`);
  const many = `${whole.format(total)} ${total === 1 ? 'evaluation' : 'evaluations'}`;
  return [`${whenOf({ at }, stepMilliseconds)}: ${[many, ...shares].join(', ')}`, ...made].join('. ');
}
