import { CalendarDays, ChevronLeft, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { dayMs } from '#domain/durations.ts';
import { Button } from '../ui/Button.tsx';
import { Popover } from '../ui/Popover.tsx';
import styles from './DateField.module.css';
import { dayValue, instantOf, localWords, minuteValue } from './dates.ts';
import type { WrongProps } from './MatcherEditor.tsx';

interface Props {
  readonly label: string;
  /** A day without a time. */
  readonly isDay?: boolean;
  /** Empty for a day that is not of any zone. */
  readonly unit?: string;
  readonly id?: string;
  readonly name?: string;
  readonly wrong: WrongProps;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}

/** A date in UTC, as SDKs compare it: typed, or chosen in a calendar. Says what time that is here. */
export function DateField({ label, isDay = false, unit = 'UTC', id, name, wrong, value, onChange }: Props) {
  const [typed, setTyped] = useState<string>();
  // Shows the typed text while it means the value, which Discard or another user may change.
  const text = typed !== undefined && parse(typed, isDay) === value ? typed : undefined;
  const isUnreadable = text !== undefined && text !== '' && value === undefined;
  const local = isDay || value === undefined ? undefined : localWords(value);
  return (
    <>
      <span className={wrong['aria-invalid'] || isUnreadable ? `${styles.box} ${styles.wrong}` : styles.box}>
        <input
          className={`${styles.input} ${isDay ? styles.day : ''} num`}
          {...{ id, name }}
          aria-label={unit === '' ? undefined : `${label}, ${unit}`}
          placeholder={isDay ? 'YYYY-MM-DD' : 'YYYY-MM-DD hh:mm'}
          autoComplete="off"
          spellCheck={false}
          {...wrong}
          {...(isUnreadable ? { 'aria-invalid': true } : {})}
          value={text ?? (isDay ? dayValue(value) : minuteValue(value).replace('T', ' '))}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(parse(target.value, isDay));
          }}
          onBlur={() => {
            if (value !== undefined) setTyped(undefined);
          }}
        />
        {unit !== '' && <span className={styles.unit}>{unit}</span>}
        <Popover
          label={`${label}: calendar`}
          trigger={(trigger) => (
            <Button {...trigger} look="quiet" size="tiny" aria-label={`${label}: choose in a calendar`}>
              <CalendarDays size={14} aria-hidden />
            </Button>
          )}
        >
          {(close) => (
            <Calendar
              value={value}
              onChoose={(day) => {
                // The time of the day stays.
                onChange(day + (isDay || value === undefined ? 0 : value - startOfDay(value)));
                close();
              }}
            />
          )}
        </Popover>
      </span>
      {local !== undefined && <span className={styles.local}>{local}</span>}
    </>
  );
}

/** A day alone is its first minute. */
function parse(text: string, isDay: boolean): number | undefined {
  const [, day, minute] = /^\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?\s*$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  return instantOf(isDay || minute === undefined ? day : `${day}T${minute}`);
}

const startOfDay = (at: number): number => Math.floor(at / dayMs) * dayMs;
/** Monday is 0. */
const weekdayOf = (day: number): number => (new Date(day).getUTCDay() + 6) % 7;
const inMonth = (day: number, months: number): number => {
  const date = new Date(day);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)).getUTCDate();
  return first + (Math.min(date.getUTCDate(), length) - 1) * dayMs;
};
const monthOf = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const dayOf = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' });
const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

interface CalendarProps {
  readonly value: number | undefined;
  readonly onChoose: (day: number) => void;
}

/** Arrow keys move by days and weeks, Page Up and Page Down by months. */
function Calendar({ value, onChoose }: CalendarProps) {
  const chosen = value === undefined ? undefined : startOfDay(value);
  const [active, setActive] = useState(() => chosen ?? startOfDay(Date.now()));
  const grid = useRef<HTMLTableElement>(null);
  const isMoved = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows the active day
  useEffect(() => {
    if (isMoved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    isMoved.current = false;
  }, [active]);
  const first = inMonth(active, 0) - (new Date(active).getUTCDate() - 1) * dayMs;
  const start = first - weekdayOf(first) * dayMs;
  const onKeyDown = (event: KeyboardEvent) => {
    const to = {
      ArrowLeft: active - dayMs,
      ArrowRight: active + dayMs,
      ArrowUp: active - 7 * dayMs,
      ArrowDown: active + 7 * dayMs,
      PageUp: inMonth(active, -1),
      PageDown: inMonth(active, 1),
      Home: active - weekdayOf(active) * dayMs,
      End: active + (6 - weekdayOf(active)) * dayMs,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    isMoved.current = true;
    setActive(to);
  };
  return (
    <div className={styles.calendar}>
      <div className={styles.head}>
        <Button look="quiet" size="tiny" aria-label="Previous month" onClick={() => setActive(inMonth(active, -1))}>
          <ChevronLeft size={14} aria-hidden />
        </Button>
        <b aria-live="polite">{monthOf.format(active)}</b>
        <Button look="quiet" size="tiny" aria-label="Next month" onClick={() => setActive(inMonth(active, 1))}>
          <ChevronRight size={14} aria-hidden />
        </Button>
      </div>
      <table ref={grid} className={styles.days} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weekdays.map((day) => (
              <th key={day} scope="col">
                {day}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[0, 1, 2, 3, 4, 5].map((week) => (
            <tr key={week}>
              {weekdays.map((_, index) => {
                const day = start + (week * 7 + index) * dayMs;
                return (
                  <td key={day}>
                    <button
                      type="button"
                      aria-label={dayOf.format(day)}
                      aria-pressed={day === chosen}
                      tabIndex={day === active ? 0 : -1}
                      data-autofocus={day === active || undefined}
                      data-other={new Date(day).getUTCMonth() !== new Date(active).getUTCMonth() || undefined}
                      onClick={() => onChoose(day)}
                    >
                      {new Date(day).getUTCDate()}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
