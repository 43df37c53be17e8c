import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import type { Targeting } from '#domain/definitions/definition.ts';
import { toTargeting } from '#domain/definitions/definition.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { dayMs } from '#domain/durations.ts';
import type { RolloutHistory, RolloutPoint } from '#domain/rollouts.ts';
import { changeWords } from '../changesets/schedule-words.ts';
import { TreatmentName } from '../kit/Bar.tsx';
import { colourOf, withComing } from '../kit/treatments.ts';
import type { Environment } from '../server/project.ts';
import { Button } from '../ui/Button.tsx';
import { percent } from '../ui/percent.ts';
import { Areas } from './Areas.tsx';
import { ChangeCard, changeLabel } from './ChangeCard.tsx';
import { EnvironmentLane } from './EnvironmentLane.tsx';
import { EvaluationsPlot } from './EvaluationsPlot.tsx';
import {
  areaOf,
  type Dot,
  dotsOf,
  killsOf,
  type PlannedStep,
  plannedSteps,
  pointNow,
  raisedIn,
  type Step,
  shareInside,
  stepsOf,
  type TimeScale,
  ticksOf,
  timeScale,
  treatmentsOf,
  untilNow,
} from './geometry.ts';
import styles from './RolloutChart.module.css';
import type { Range } from './use-rollout.ts';
import type { useTraffic } from './use-traffic.ts';
import { VersionLink } from './VersionLink.tsx';

interface Props {
  readonly history: RolloutHistory;
  readonly environment: Environment;
  readonly saved: ExpandedDefinition;
  readonly draft: Targeting | undefined;
  /** Steps of a schedule, drawn after now. */
  readonly planned: readonly PlannedStep[];
  readonly order: readonly string[];
  readonly marks: Readonly<Record<string, string>>;
  readonly range: Range;
  readonly from: number;
  readonly now: number;
  readonly traffic: ReturnType<typeof useTraffic>;
  /** Other environments to show below. */
  readonly lanes: readonly Environment[];
}

const height = 160;
/** Space for the state after saving. */
const ahead = 64;
/** For the steps of a schedule: a quarter of the width, as far as that is neither too little nor too much. */
const plannedAhead = (width: number, count: number): number =>
  Math.min(Math.max(width / 4, 72 + 28 * count), width / 2);
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const hour = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

export function RolloutChart(props: Props) {
  const { history, environment, saved, draft, planned, marks, range, from, now, traffic, lanes } = props;
  const order = withComing(props.order, treatmentsOf(planned, []));
  const { ref, width } = useWidth();
  const current = pointNow(toTargeting(saved), saved.lastUpdateTime);
  const points = untilNow(history.points, current);
  const next = draft && pointNow(draft, now);
  const isChanged = next !== undefined && !current.killed && untilNow([current], next).length > 1;
  const firstAt = points.find(({ shares }) => shares.length > 0)?.at ?? from;
  const start = range === 'all' ? Math.max(history.since, firstAt) : from;
  const isPlanned = planned.length > 0 && !isChanged;
  const future = isPlanned ? plannedAhead(width, planned.length) : isChanged ? ahead : 0;
  const scale = timeScale({ from: start, now, width, ahead: future });
  const treatments = treatmentsOf([...points, ...(isPlanned ? planned : [])], order);
  const steps = stepsOf(points, scale);
  return (
    <div>
      <Shares
        point={current}
        treatments={treatments}
        order={order}
        existing={[...props.order, ...treatmentsOf(points, [])]}
      />
      <div className={styles.plots}>
        <p className={styles.shares} aria-hidden>
          <span>100%</span>
          <span>50%</span>
          <span>0%</span>
        </p>
        <div ref={ref} className={styles.measured}>
          {width > 0 && (
            <Explored
              scale={scale}
              dots={dotsOf(history.changes, scale)}
              points={points}
              environment={environment}
              marks={marks}
            >
              <svg
                className={styles.plot}
                width={width}
                height={height}
                role="img"
                aria-label={`Shares since ${day.format(scale.from)}: ${pointsInWords(points)}${plannedInWords(planned, current)}`}
              >
                <path
                  className={styles.grid}
                  d={`M0 .5H${width}M0 ${height / 2}H${width}M0 ${height - 0.5}H${width}`}
                />
                <Areas steps={steps} treatments={treatments} order={order} height={height} />
                {history.since > scale.from && (
                  <text className={styles.unknown} x={scale.x(history.since) / 2} y={height / 2}>
                    Too many changes to show
                  </text>
                )}
                {isPlanned && (
                  <Planned steps={plannedSteps(planned, current, scale)} {...{ treatments, order, scale }} />
                )}
                {isChanged && next && <Next point={next} treatments={treatments} order={order} scale={scale} />}
              </svg>
            </Explored>
          )}
          {width > 0 && traffic.data?.lastTrafficReceivedAt !== undefined && (
            <EvaluationsPlot
              traffic={traffic.data}
              changes={history.changes}
              rollout={steps}
              scale={scale}
              order={order}
            />
          )}
          {traffic.isLoading && <div className={styles.pending} />}
          {width > 0 && <Axis scale={scale} />}
          {lanes.map((lane) => (
            <EnvironmentLane key={lane.id} environment={lane} range={range} scale={scale} />
          ))}
        </div>
      </div>
      {traffic.error && !traffic.data && (
        <p className={styles.note}>
          Evaluations could not be loaded.{' '}
          <Button look="link" size="small" onClick={() => void traffic.refetch()}>
            Try again
          </Button>
        </p>
      )}
      {history.leftOut > 0 && (
        <p className={styles.note}>
          {history.leftOut === 1 ? '1 change is' : `${history.leftOut} changes are`} too close to others to be drawn as
          their own steps. Every kill is drawn.
        </p>
      )}
    </div>
  );
}

/** The pixels available. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

interface SharesProps {
  readonly point: RolloutPoint;
  readonly treatments: readonly string[];
  readonly order: readonly string[];
}

interface LegendProps extends SharesProps {
  /** Treatments that exist now or did earlier. */
  readonly existing: readonly string[];
}

/** The legend: what is drawn, and how much of it there is now. */
function Shares({ point, treatments, order, existing }: LegendProps) {
  const outside = point.killed ? 0 : 100 - point.allocation;
  return (
    <ul className={styles.legend}>
      {treatments.map((treatment) => (
        <li key={treatment}>
          <TreatmentName treatment={treatment} order={order} />{' '}
          {existing.includes(treatment) ? (
            <span className="num">{percent(shareInside(point, treatment))}</span>
          ) : (
            'planned'
          )}
        </li>
      ))}
      {outside > 0 && (
        <li>
          <span className={styles.outside} aria-hidden />
          <span className="mono">{point.defaultTreatment}</span> outside the allocation{' '}
          <span className="num">{percent(outside)}</span>
        </li>
      )}
      {point.killed && <li className={styles.killed}>Killed now</li>}
    </ul>
  );
}

interface NextProps extends SharesProps {
  readonly scale: TimeScale;
}

/** The draft, to the right of now. */
function Next({ point, treatments, order, scale }: NextProps) {
  let sum = 0;
  return (
    <g>
      <rect className={styles.future} x={scale.nowX} width={scale.width - scale.nowX} y={0} height={height} />
      <path className={styles.nowLine} d={`M${scale.nowX} 0V${height}`} />
      {treatments
        .filter((treatment) => shareInside(point, treatment) > 0)
        .map((treatment) => {
          sum += shareInside(point, treatment);
          return (
            <path
              key={treatment}
              className={styles.next}
              style={{ stroke: `var(--t-${colourOf(treatment, order).slot})` }}
              d={`M${scale.nowX} ${height * (1 - sum / 100)}H${scale.width}`}
            />
          );
        })}
    </g>
  );
}

interface PlannedProps {
  readonly steps: readonly Step[];
  readonly treatments: readonly string[];
  readonly order: readonly string[];
  readonly scale: TimeScale;
}

/** The steps of a schedule, to the right of now, with the share of the treatment that they raise. */
function Planned({ steps, treatments, order, scale }: PlannedProps) {
  const raised = raisedIn(steps, treatments);
  const place = treatments.indexOf(raised);
  const topOf = (point: RolloutPoint) =>
    treatments.slice(0, place + 1).reduce((sum, treatment) => sum + shareInside(point, treatment), 0);
  return (
    <g>
      <rect className={styles.future} x={scale.nowX} width={scale.width - scale.nowX} y={0} height={height} />
      <path className={styles.nowLine} d={`M${scale.nowX} 0V${height}`} />
      <text className={styles.label} x={scale.nowX + 6} y={13}>
        Planned
      </text>
      {treatments.map((treatment) => (
        <path
          key={treatment}
          className={styles.next}
          style={{ stroke: `var(--t-${colourOf(treatment, order).slot})` }}
          d={areaOf(steps, treatment, treatments, height).line}
        />
      ))}
      {steps.slice(1).map(({ point, start }, index) => {
        const isLast = index === steps.length - 2;
        return (
          <text
            // biome-ignore lint/suspicious/noArrayIndexKey: they are in their order, and two may have no time
            key={index}
            className={styles.label}
            x={isLast ? scale.width : start + 3}
            y={labelY(topOf(point))}
            textAnchor={isLast ? 'end' : 'start'}
          >
            {point.killed ? 'Killed' : `${place > 0 ? `${raised} ` : ''}${percent(shareInside(point, raised))}`}
          </text>
        );
      })}
    </g>
  );
}

/** Above the line, or below it where there is no room. */
const labelY = (share: number): number => {
  const y = height * (1 - share / 100);
  return y < 34 ? y + 14 : y - 5;
};

interface ExploredProps {
  readonly scale: TimeScale;
  readonly dots: readonly Dot[];
  readonly points: readonly RolloutPoint[];
  readonly environment: Environment;
  readonly marks: Readonly<Record<string, string>>;
  readonly children: React.ReactNode;
}

/** Pixels from the pointer within which a dot is meant. */
const reach = 16;

/** The plot with its dots. The pointer or the arrow keys choose one, and a card tells what it did. */
function Explored({ scale, dots, points, environment, marks, children }: ExploredProps) {
  const lane = useRef<HTMLElement>(null);
  const [active, setActive] = useState<number>();
  const [home, setHome] = useState(dots.length - 1);
  const dot = active === undefined ? undefined : dots[active];
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent) => {
    const x = clientX - currentTarget.getBoundingClientRect().left;
    const nearest = dots.reduce(
      (best, one, index) =>
        Math.abs(one.x - x) < Math.abs((dots[best]?.x ?? Number.POSITIVE_INFINITY) - x) ? index : best,
      -1,
    );
    if (Math.abs((dots[nearest]?.x ?? Number.POSITIVE_INFINITY) - x) <= reach) setActive(nearest);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setActive(undefined);
    const at = active ?? home;
    const step = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: dots.length - 1 }[event.key];
    if (step === undefined || !dots[step]) return;
    event.preventDefault();
    lane.current?.querySelectorAll('a')[step]?.focus();
  };
  return (
    <div className={styles.explored} onPointerMove={onPointerMove} onPointerLeave={() => setActive(undefined)}>
      {children}
      {dot && <span className={styles.cursor} style={{ left: dot.x }} aria-hidden />}
      <nav ref={lane} className={styles.lane} aria-label={`Changes in ${environment.name}`} onKeyDown={onKeyDown}>
        <span className={styles.thread} style={{ width: scale.nowX }} aria-hidden />
        {killsOf(stepsOf(points, scale)).map(({ x, width, at }) => (
          <span key={at} className={styles.killed} style={{ left: x, width }} aria-hidden />
        ))}
        {dots.map((one, index) => {
          const mark = one.changes.map(({ id }) => marks[id]).find((letter) => letter !== undefined);
          return (
            <VersionLink
              key={one.changes[0]?.id}
              environment={environment}
              change={one.changes.at(-1)?.id ?? ''}
              className={`${styles.dot} ${mark === undefined ? styles[one.kind] : styles.marked}`}
              style={{ left: one.x }}
              tabIndex={index === Math.min(home, dots.length - 1) ? 0 : -1}
              aria-label={changeLabel(one, points)}
              onFocus={() => {
                setActive(index);
                setHome(index);
              }}
              onBlur={() => setActive(undefined)}
            >
              {mark ?? (one.count > 1 ? <span className={styles.many}>{one.count > 99 ? '99+' : one.count}</span> : '')}
            </VersionLink>
          );
        })}
      </nav>
      {dot && <ChangeCard dot={dot} points={points} scale={scale} />}
    </div>
  );
}

/** Dates below the plots. */
function Axis({ scale }: { readonly scale: TimeScale }) {
  const isShort = scale.now - scale.from < 3 * dayMs;
  const format = isShort ? hour : day;
  // For "Now" and half of a label.
  const room = isShort ? 80 : 56;
  return (
    <div className={styles.axis} aria-hidden>
      {ticksOf(scale)
        .filter(({ x }) => x < scale.nowX - room)
        .map(({ at, x }) => (
          <span key={at} style={{ left: x }}>
            {format.format(at)}
          </span>
        ))}
      <b style={{ left: scale.nowX }}>Now</b>
    </div>
  );
}

function plannedInWords(planned: readonly PlannedStep[], current: RolloutPoint): string {
  const words = planned.map((step, index) => {
    const change = changeWords(planned[index - 1] ?? current, step, planned);
    return `${step.at === undefined ? 'then' : day.format(step.at)} ${change}`;
  });
  return words.length === 0 ? '' : `. Planned: ${words.join('; ')}`;
}

const spoken = 12;

function pointsInWords(points: readonly RolloutPoint[]): string {
  const words = points.slice(-spoken).map(({ at, shares, killed }) => {
    if (shares.length === 0) return 'not defined';
    const said = shares.map(({ treatment, size }) => `${treatment} ${percent(size)}`).join(', ');
    return `${day.format(at)} ${killed ? 'killed' : said}`;
  });
  return `${points.length > spoken ? 'latest ' : ''}${words.join('; ')}`;
}
