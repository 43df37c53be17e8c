/** Dates of rules. SDKs compare them in UTC, so people read and write them in UTC. */

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const minute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** The times that a Date can hold; the API takes more, and then people see the number. */
const furthest = 8.64e15;
const inWords = (format: Intl.DateTimeFormat) => (at: number) =>
  Math.abs(at) <= furthest ? `${format.format(at)}` : String(at);

export const dayWords = inWords(day);
export const minuteWords = (at: number): string => `${inWords(minute)(at)} UTC`;

/** What the browser's fields for days and minutes take; empty for what they cannot show. */
export const dayValue = (at: number | undefined): string => isoOf(at).slice(0, 10);
export const minuteValue = (at: number | undefined): string => isoOf(at).slice(0, 16);

const isoOf = (at: number | undefined): string =>
  at !== undefined && at >= 0 && at <= furthest ? new Date(at).toISOString() : '';

/** What such a field says; undefined while it says nothing. */
export function instantOf(value: string): number | undefined {
  const at = Date.parse(value.length > 10 ? `${value}Z` : value);
  return Number.isNaN(at) ? undefined : at;
}
