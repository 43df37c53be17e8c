import { Link } from '@tanstack/react-router';
import { orderOf, toTargeting } from '#domain/definitions/definition.ts';
import { Loaded } from '../kit/Loaded.tsx';
import { ProdChip } from '../kit/StatusChip.tsx';
import { useFlag } from '../server/flag.ts';
import { type Environment, useProject } from '../server/project.ts';
import { percent } from '../ui/percent.ts';
import { Areas } from './Areas.tsx';
import styles from './EnvironmentLane.module.css';
import { pointNow, stepsOf, type TimeScale, treatmentsOf, untilNow } from './geometry.ts';
import { type Range, useRollout } from './use-rollout.ts';

interface Props {
  readonly environment: Environment;
  readonly range: Range;
  readonly scale: TimeScale;
}

const height = 36;

/** Another environment on the same time axis. */
export function EnvironmentLane({ environment, range, scale }: Props) {
  const project = useProject();
  const flag = useFlag();
  const saved = flag.definitions.find((definition) => definition.environment.id === environment.id);
  const { query } = useRollout(environment, saved?.etag, range);
  if (!saved) return null;
  const order = orderOf(toTargeting(saved));
  const current = pointNow(toTargeting(saved), saved.lastUpdateTime);
  const said = current.killed
    ? 'killed'
    : current.shares.map(({ treatment, size }) => `${treatment} ${percent(size)}`).join(', ');
  return (
    <div className={styles.lane}>
      <p className={styles.head}>
        <Link
          to="/p/$project/flags/$flag/$environment"
          params={{ project: project.name, flag: flag.name, environment: environment.name }}
        >
          {environment.name}
        </Link>{' '}
        {environment.production && <ProdChip />}
        <span className={current.killed ? styles.killed : styles.said}>{said}</span>
      </p>
      <Loaded query={query} skeleton={<div style={{ height }} />}>
        {(history) => {
          const points = untilNow(history.points, current);
          return (
            <svg className={styles.plot} width={scale.width} height={height} aria-hidden>
              <Areas
                steps={stepsOf(points, scale)}
                treatments={treatmentsOf(points, order)}
                order={order}
                height={height}
              />
            </svg>
          );
        }}
      </Loaded>
    </div>
  );
}
