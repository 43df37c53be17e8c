import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { getChangesCalendar } from '#contract/changes.ts';
import type { CalendarDay } from '#domain/changes.ts';
import type { ChangeFilter } from '../../activity/changes-query.ts';
import { dateValue, startOfDay } from '../../activity/days.ts';
import { countOf } from '../../administration/count.ts';
import { Failure } from '../../kit/Failure.tsx';
import { reading } from '../../server/api.ts';
import styles from './ActivityCalendar.module.css';
import { useActivitySearch } from './activity-search.ts';

const weeks = 53;
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const month = new Intl.DateTimeFormat('en-GB', { month: 'short' });

/** A year of changes, a square for each day. Choosing one filters the list below. */
export function ActivityCalendar({ filter }: { readonly filter: ChangeFilter }) {
  // Fixed while the page is open, so that the query key stays the same.
  const [now] = useState(() => Date.now());
  const days = daysUntil(now);
  const { from: _, to: __, ...selection } = filter;
  const query = useQuery({
    ...reading(getChangesCalendar, {
      query: {
        ...selection,
        from: startOfDay(days[0]) ?? now,
        to: now,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      },
    }),
    placeholderData: (previous) => previous,
  });
  if (query.error && !query.data) return <Failure problem={query.error} onRetry={query.refetch} />;
  const byName = new Map(query.data?.days.map((one) => [one.day, one]));
  return (
    <section className={styles.calendar} aria-label="Changes in the last year">
      <Squares days={days} byName={byName} />
      <p className={styles.legend} aria-hidden>
        Less
        <span data-level={0} />
        <span data-level={1} />
        <span data-level={2} />
        <span data-level={3} />
        More
        <span data-level={3} data-kind="production" />
        Production
        <span data-level={3} data-kind="kill" />
        Kill
      </p>
    </section>
  );
}

interface SquaresProps {
  /** Begins with a Monday. */
  readonly days: readonly string[];
  readonly byName: ReadonlyMap<string, CalendarDay>;
}

function Squares({ days, byName }: SquaresProps) {
  const { search, change } = useActivitySearch();
  const scroller = useRef<HTMLDivElement>(null);
  const [home, setHome] = useState(days.length - 1);
  useEffect(() => {
    scroller.current?.scrollTo({ left: scroller.current.scrollWidth });
  }, []);
  const isChosen = (name: string) => search.from === name && search.to === name;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 }[event.key];
    const ends = { Home: 0, End: days.length - 1 }[event.key];
    const next = ends ?? (step === undefined ? undefined : home + step);
    const name = next === undefined ? undefined : days[next];
    if (next === undefined || name === undefined) return;
    event.preventDefault();
    setHome(next);
    scroller.current?.querySelector<HTMLElement>(`[data-day="${name}"]`)?.focus();
  };
  return (
    <div ref={scroller} className={styles.scroller}>
      <div className={styles.months} aria-hidden>
        {days.map((name, index) => {
          const isFirst = index % 7 === 0 && Number(name.slice(8)) <= 7;
          return isFirst && index / 7 < weeks - 2 ? (
            <span key={name} style={{ gridColumn: index / 7 + 1 }}>
              {month.format(startOfDay(name))}
            </span>
          ) : null;
        })}
      </div>
      <table className={styles.squares} aria-label="Days" onKeyDown={onKeyDown}>
        <tbody>
          {[0, 1, 2, 3, 4, 5, 6].map((weekday) => (
            <tr key={weekday}>
              {days.map((name, index) =>
                index % 7 === weekday ? (
                  <td key={name}>
                    <button
                      type="button"
                      data-day={name}
                      data-level={levelOf(byName.get(name))}
                      data-kind={kindOf(byName.get(name))}
                      title={wordsOf(name, byName.get(name))}
                      aria-label={wordsOf(name, byName.get(name))}
                      aria-pressed={isChosen(name)}
                      tabIndex={index === home ? 0 : -1}
                      onClick={() => {
                        setHome(index);
                        const chosen = isChosen(name) ? undefined : name;
                        change({ from: chosen, to: chosen });
                      }}
                    />
                  </td>
                ) : null,
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** From the Monday of the first week until today. */
function daysUntil(now: number): string[] {
  const weekday = (new Date(now).getDay() + 6) % 7;
  const count = (weeks - 1) * 7 + weekday + 1;
  return Array.from({ length: count }, (_, index) => dateValue(count - 1 - index, now));
}

function levelOf(found: CalendarDay | undefined): number {
  if (!found) return 0;
  return found.count > 15 ? 3 : found.count > 4 ? 2 : 1;
}

function kindOf(found: CalendarDay | undefined): string | undefined {
  if (!found) return undefined;
  return found.kills > 0 ? 'kill' : found.production > 0 ? 'production' : undefined;
}

function wordsOf(name: string, found: CalendarDay | undefined): string {
  const date = day.format(startOfDay(name));
  if (!found) return `${date}: no changes`;
  return [
    `${date}: ${countOf(found.count, 'change')}${found.isPartial ? ' or more' : ''}`,
    ...(found.production > 0 ? [`${found.production} in production`] : []),
    ...(found.kills > 0 ? [countOf(found.kills, 'kill')] : []),
  ].join(', ');
}
