/** Calendar days in a time zone. */

/** From `start` until just before `end`. */
export interface Day {
  /** For example `2026-11-15`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The days from one instant to another, both included. Stops after `most`. Undefined if there is no such time zone. */
export function daysBetween(from: number, to: number, timeZone: string, most: number): Day[] | undefined {
  const local = localTimes(timeZone);
  if (!local) return undefined;
  const days: Day[] = [];
  let name = local.dayOf(from);
  for (let start = local.startOf(name); start <= to && days.length < most; ) {
    const next = dayAfter(name);
    // Formatting takes 10 µs, and most days have 24 hours.
    const end = local.isStartOf(next, start + dayMs) ? start + dayMs : local.startOf(next);
    days.push({ name, start, end });
    [name, start] = [next, end];
  }
  return days;
}

const dayMs = 86_400_000;

const dayAfter = (day: string): string => new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10);

function localTimes(timeZone: string) {
  const format = formatIn(timeZone);
  if (!format) return undefined;
  const partsOf = (at: number) => Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const dayOf = (at: number): string => {
    const { year, month, day } = partsOf(at);
    return `${year}-${month}-${day}`;
  };
  const offsetAt = (at: number): number => {
    const { hour, minute, second } = partsOf(at);
    return Date.parse(`${dayOf(at)}T${hour}:${minute}:${second}Z`) - Math.floor(at / 1000) * 1000;
  };
  /** Midnight, or the first moment of a day that begins later, because clocks were put forward. */
  const startOf = (day: string): number => {
    const guess = Date.parse(day);
    const first = guess - offsetAt(guess);
    const starts = [first, guess - offsetAt(first), guess - offsetAt(guess - dayMs)];
    return Math.min(...starts.filter((start) => dayOf(start) === day));
  };
  const isStartOf = (name: string, at: number): boolean => {
    const { year, month, day, hour, minute, second } = partsOf(at);
    return `${year}-${month}-${day} ${hour}:${minute}:${second}` === `${name} 00:00:00`;
  };
  return { dayOf, startOf, isStartOf };
}

function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  const [year, two] = ['numeric', '2-digit'] as const;
  try {
    return new Intl.DateTimeFormat('en', {
      ...{ timeZone, year, month: two, day: two, hour: two, minute: two, second: two, hourCycle: 'h23' },
    });
  } catch {
    return undefined;
  }
}
