import { useId } from 'react';
import { colourOf } from '../kit/treatments.ts';
import styles from './Areas.module.css';
import { allocationLine, areaOf, isServed, killsOf, type Step } from './geometry.ts';

interface Props {
  readonly steps: readonly Step[];
  /** All treatments, from the bottom. */
  readonly treatments: readonly string[];
  /** Of the definition; decides the colours. */
  readonly order: readonly string[];
  readonly height: number;
}

/** The treatments on top of each other, hatching above the allocation, and kills as red bands. */
export function Areas({ steps, treatments, order, height }: Props) {
  const hatch = useId();
  const kills = killsOf(steps);
  return (
    <>
      <pattern id={hatch} width={7} height={7} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path className={styles.hatch} d="M0 0V7" />
      </pattern>
      {steps.filter(isServed).map(({ point, start, end }) => (
        <rect
          key={point.at}
          x={start}
          width={Math.max(end - start, 0)}
          y={0}
          height={height * (1 - point.allocation / 100)}
          fill={`url(#${hatch})`}
        />
      ))}
      {treatments.map((treatment) => {
        const { path, line } = areaOf(steps, treatment, treatments, height);
        const ink = `var(--t-${colourOf(treatment, order).slot})`;
        return (
          <g key={treatment}>
            <path className={styles.area} style={{ fill: ink }} d={path} />
            <path className={styles.line} style={{ stroke: ink }} d={line} />
          </g>
        );
      })}
      <path className={styles.allocation} d={allocationLine(steps, height)} />
      {kills.map(({ x, width, at }) => (
        <g key={at} className={styles.kill}>
          <rect x={x} y={0} width={width} height={height} />
          <path d={`M${x} 0V${height}M${x + width} 0V${height}`} />
          {width > 48 && height > 60 && (
            <text x={x + width / 2} y={16}>
              Killed
            </text>
          )}
        </g>
      ))}
    </>
  );
}
