import { useQuery } from '@tanstack/react-query';
import { listKeyChanges } from '#contract/segments.ts';
import type { KeyChange, SegmentKind, Usage } from '#domain/segments.ts';
import { NoBar } from '../../kit/Bar.tsx';
import { Unsaved } from '../../kit/StatusChip.tsx';
import { Strip, StripCard, StripContent } from '../../kit/Strip.tsx';
import { reading } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { useDraftOf } from '../../state/drafts.ts';
import { useDraftPlace } from './rules/use-rules.ts';
import { isRunning, uploadsReading } from './running-uploads.ts';
import styles from './SegmentStrip.module.css';
import sizeStyles from './Size.module.css';
import { SizeWords } from './Size.tsx';
import type { SegmentAnswer } from './segments-query.ts';

interface Props {
  readonly segment: SegmentAnswer;
  /** The id of the environment of the page. */
  readonly current: string | undefined;
}

/** The segment in every environment. */
export const SegmentStrip = ({ segment, current }: Props) => (
  <Strip
    current={current}
    card={(environment) => (
      <Card key={environment.id} segment={segment} environment={environment} isCurrent={environment.id === current} />
    )}
  />
);

interface CardProps {
  readonly segment: SegmentAnswer;
  readonly environment: Environment;
  readonly isCurrent: boolean;
}

function Card({ segment, environment, isCurrent }: CardProps) {
  const project = useProject();
  const { name, kind = 'standard', environments = [] } = segment;
  const usage = environments.find((one) => one.environment.id === environment.id);
  const isActive = usage?.active ?? false;
  const draft = useDraftOf(useDraftPlace(segment, environment.id));
  const uploads = useQuery({ ...uploadsReading(environment.id, name), enabled: kind === 'large' && isActive });
  return (
    <StripCard
      to="/p/$project/segments/$segment/$environment"
      params={{ project: project.name, segment: name, environment: environment.name }}
      activeProps={{}}
      isCurrent={isCurrent}
      isEmpty={!isActive}
    >
      <StripContent
        environment={environment}
        aside={draft && <Unsaved />}
        picture={<Picture segment={name} kind={kind} usage={usage} />}
        summary={<SizeWords kind={kind} usage={usage} upload={uploads.data?.find(isRunning)} hasUnit />}
        changedAt={isActive ? usage?.lastUpdateTime : undefined}
      />
    </StripCard>
  );
}

interface PictureProps {
  readonly segment: string;
  readonly kind: SegmentKind;
  readonly usage: Usage | undefined;
}

function Picture({ segment, kind, usage }: PictureProps) {
  if (!usage?.active) return <NoBar />;
  if (kind === 'rule_based') return <span className={sizeStyles.rules} aria-hidden />;
  if (kind === 'large') return <span className={usage.keyCount === 0 ? styles.empty : styles.flat} aria-hidden />;
  return <Curve segment={segment} usage={usage} />;
}

/** The last 50 changes are enough for a picture of this size. */
const drawn = 50;
const [width, height] = [200, 18];

/** The size over time, as steps. */
function Curve({ segment, usage }: { readonly segment: string; readonly usage: Usage }) {
  const { data } = useQuery(
    reading(listKeyChanges, { params: { environment: usage.environment.id, segment }, query: { limit: drawn } }),
  );
  const changes = data?.objects.toReversed() ?? [];
  const area = areaOf(changes, Date.now());
  return (
    <svg className={styles.curve} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={area} />
    </svg>
  );
}

/** From the first change to now; the highest size touches the top. */
function areaOf(changes: readonly KeyChange[], now: number): string {
  const [first] = changes;
  if (!first) return `M0 ${height}H${width}`;
  const span = Math.max(1, now - first.at);
  const most = Math.max(1, ...changes.map(({ keyCount }) => keyCount));
  const x = (at: number) => ((at - first.at) / span) * width;
  const y = (count: number) => height - (count / most) * (height - 2);
  const start = y(Math.max(0, first.keyCount - first.added + first.removed));
  const steps = changes.map(({ at, keyCount }) => `H${x(at).toFixed(1)}V${y(keyCount).toFixed(1)}`);
  return `M0 ${height}V${start.toFixed(1)}${steps.join('')}H${width}V${height}Z`;
}
