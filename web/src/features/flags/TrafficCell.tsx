import { getProjectTraffic } from '#contract/traffic.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { call } from '../../server/api.ts';
import { useEnvironments } from '../../server/project.ts';
import { ShortTime } from '../../ui/Time.tsx';
import styles from './FlagTable.module.css';
import type { Traffic } from './traffic-query.ts';

interface Props {
  readonly flag: ListedFlag;
  /** Undefined while it loads. */
  readonly traffic: Traffic | undefined;
}

/** Evaluations of the last 24 hours in all environments, and when the last one was. */
export function TrafficCell({ flag: { lastTrafficReceivedAt: lastAt }, traffic }: Props) {
  const words = useWords(lastAt, traffic);
  return (
    <td role="cell" className={styles.traffic} title={words}>
      <Sparkline counts={sumsOf(traffic)} label={words} />
      {typeof lastAt === 'number' ? <ShortTime at={lastAt} /> : <span aria-hidden>never</span>}
    </td>
  );
}

/** For `useTrafficOf`. */
export const readTraffic = (project: string, flagIds: readonly string[]) =>
  call(getProjectTraffic, { params: { project }, query: { flagId: [...flagIds] } });

const sumsOf = (traffic: Traffic = []): number[] =>
  (traffic[0]?.counts ?? []).map((_, hour) => sum(traffic.map(({ counts }) => counts[hour] ?? 0)));

const numbers = new Intl.NumberFormat('en');
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

function useWords(lastAt: number | null | undefined, traffic: Traffic | undefined): string {
  const environments = useEnvironments();
  if (typeof lastAt !== 'number') return 'Never evaluated';
  if (!traffic) return 'Loading';
  const counted = environments.flatMap(({ id, name }) => {
    const count = sum(traffic.find(({ environmentId }) => environmentId === id)?.counts ?? []);
    return count > 0 ? [`${name} ${numbers.format(count)}`] : [];
  });
  return counted.length > 0 ? `Evaluations in 24 hours: ${counted.join(', ')}` : 'No evaluations in 24 hours';
}

const [width, height] = [44, 16];

interface SparklineProps {
  readonly counts: readonly number[];
  readonly label: string;
}

function Sparkline({ counts, label }: SparklineProps) {
  const most = Math.max(0, ...counts);
  const step = width / Math.max(1, counts.length - 1);
  const yOf = (count: number) => (height - 1 - (most > 0 ? count / most : 0) * (height - 3)).toFixed(1);
  const points = counts.map((count, index) => `${(index * step).toFixed(1)} ${yOf(count)}`);
  return (
    <svg className={styles.sparkline} width={width} height={height} role="img" aria-label={label}>
      {most === 0 ? (
        <path className={styles.noLine} d={`M0 ${height - 1}H${width}`} />
      ) : (
        <>
          <path className={styles.area} d={`M0 ${height}L${points.join('L')}L${width} ${height}Z`} />
          <path className={styles.line} d={`M${points.join('L')}`} />
        </>
      )}
    </svg>
  );
}
