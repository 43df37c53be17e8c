/** Calendar days and local times in a time zone. */
import { dayMs } from './durations.ts';

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

/**
 * The instant of a local time such as `2026-11-20T09:00` or `2026-11-20T09:00:30.500`, or what is wrong. A time that
 * clocks skip is as much later as they are put forward: 02:30 becomes 03:30. Of a time that comes twice, it is the
 * first.
 */
export function instantOf(time: string, timeZone: string): number | 'time' | 'zone' {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{3})?)?$/.test(time);
  const asUtc = isTime ? Date.parse(`${time}Z`) : Number.NaN;
  // `Date` takes the 30th of February for the 2nd of March.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(time)) return 'time';
  const local = isZone(timeZone) ? localTimes(timeZone) : undefined;
  if (!local) return 'zone';
  // No zone changes its clocks twice within two days.
  const [before, after] = [local.offsetAt(asUtc - dayMs), local.offsetAt(asUtc + dayMs)];
  const matching = [asUtc - before, asUtc - after].filter((at) => at + local.offsetAt(at) === asUtc);
  return matching.length > 0 ? Math.min(...matching) : asUtc - before;
}

/** Offsets such as +02:00 are not the zone of a place, whose rules may change. */
export const isZone = (timeZone: string): boolean => /^[A-Za-z]/.test(timeZone) && formatIn(timeZone) !== undefined;

/** The local time of an instant, as short as it can be. Undefined if it is the second of a time that comes twice. */
export function localTimeAt(instant: number, timeZone: string): string | undefined {
  const text = new Date(instant + (localTimes(timeZone)?.offsetAt(instant) ?? 0)).toISOString().slice(0, -1);
  const time = text.replace(/(?::00)?\.000$/, '');
  return instantOf(time, timeZone) === instant ? time : undefined;
}

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
  return { dayOf, offsetAt, startOf, isStartOf };
}

function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  const [year, two] = ['numeric', '2-digit'] as const;
  try {
    return new Intl.DateTimeFormat('en', {
      timeZone,
      year,
      month: two,
      day: two,
      hour: two,
      minute: two,
      second: two,
      hourCycle: 'h23',
    });
  } catch {
    return undefined;
  }
}
