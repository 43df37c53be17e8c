/** Dates in rules. SDKs compare them in UTC, so the interface shows them in UTC. */

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const minute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** The range of Date. The API accepts more; those values are shown as numbers. */
const furthest = 8.64e15;
const inWords = (format: Intl.DateTimeFormat) => (at: number) =>
  Math.abs(at) <= furthest ? `${format.format(at)}` : String(at);

export const dayWords = inWords(day);
export const minuteWords = (at: number): string => `${inWords(minute)(at)} UTC`;

/** The value for date inputs; empty if they cannot show it. */
export const dayValue = (at: number | undefined): string => isoOf(at).slice(0, 10);
export const minuteValue = (at: number | undefined): string => isoOf(at).slice(0, 16);

const isoOf = (at: number | undefined): string =>
  at !== undefined && at >= 0 && at <= furthest ? new Date(at).toISOString() : '';

/** Parses the value of a date input; undefined if empty. */
export function instantOf(value: string): number | undefined {
  const at = Date.parse(value.length > 10 ? `${value}Z` : value);
  return Number.isNaN(at) ? undefined : at;
}

const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const here = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** "1 Jan, 01:00 in Madrid"; undefined where the time is that of UTC. */
export function localWords(at: number): string | undefined {
  if (Math.abs(at) > furthest || new Date(at).getTimezoneOffset() === 0) return undefined;
  return `${here.format(at)} in ${zone.split('/').at(-1)?.replaceAll('_', ' ')}`;
}
