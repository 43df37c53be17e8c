import { useQuery } from '@tanstack/react-query';
import { getProjectTraffic } from '#contract/traffic.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { type Answer, reading } from '../../server/api.ts';
import { useEnvironments, useProject } from '../../server/project.ts';
import { ShortTime } from '../../ui/Time.tsx';
import styles from './FlagTable.module.css';

interface Props {
  readonly flag: ListedFlag;
  /** The ids of all flags of its page, by spaces: the rows of a page share one request. */
  readonly pageIds: string;
}

/** Evaluations of the last 24 hours in all environments, and when the last one was. */
export function TrafficCell({ flag: { id, lastTrafficReceivedAt: lastAt }, pageIds }: Props) {
  const traffic = useTraffic(id, pageIds);
  const words = useWords(lastAt, traffic);
  return (
    <td className={styles.traffic} title={words}>
      <span className={styles.evaluations}>
        <Sparkline counts={sumsOf(traffic)} />
        {typeof lastAt === 'number' ? <ShortTime at={lastAt} /> : <span aria-hidden>never</span>}
        <span className="sr">{words}</span>
      </span>
    </td>
  );
}

type Traffic = Answer<typeof getProjectTraffic>['traffic'];

const refreshMs = 60_000;

/** Of each environment in which the flag was evaluated; undefined while it loads. */
function useTraffic(flagId: string, pageIds: string): Traffic | undefined {
  const project = useProject();
  const { data } = useQuery({
    ...reading(getProjectTraffic, { params: { project: project.id }, query: { flagId: pageIds.split(' ') } }),
    staleTime: refreshMs / 2,
    refetchInterval: refreshMs,
  });
  return data?.traffic.filter((one) => one.flagId === flagId);
}

const sumsOf = (traffic: Traffic = []): number[] =>
  (traffic[0]?.counts ?? []).map((_, hour) => sum(traffic.map(({ counts }) => counts[hour] ?? 0)));

const numbers = new Intl.NumberFormat('en');
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

function useWords(lastAt: number | null | undefined, traffic: Traffic | undefined): string {
  const environments = useEnvironments();
  if (typeof lastAt !== 'number') return 'Never evaluated';
  if (!traffic) return '';
  const counted = environments.flatMap(({ id, name }) => {
    const count = sum(traffic.find(({ environmentId }) => environmentId === id)?.counts ?? []);
    return count > 0 ? [`${name} ${numbers.format(count)}`] : [];
  });
  return counted.length > 0 ? `Evaluations in 24 hours: ${counted.join(', ')}` : 'No evaluations in 24 hours';
}

const [width, height] = [44, 16];

function Sparkline({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(0, ...counts);
  const step = width / Math.max(1, counts.length - 1);
  const yOf = (count: number) => (height - 1 - (most > 0 ? count / most : 0) * (height - 3)).toFixed(1);
  const points = counts.map((count, index) => `${(index * step).toFixed(1)} ${yOf(count)}`);
  return (
    <svg className={styles.sparkline} width={width} height={height} aria-hidden>
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
