const two = (number: number): string => String(number).padStart(2, '0');

/** "14:01:52", in the reader's time zone. */
export function clockTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

/** "14:01:52.310". */
export const preciseTime = (at: number): string =>
  `${clockTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`;

/** "38 ms", "1.2 s", "2 min". */
export function span(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < 120_000) return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
  return `${Math.round(milliseconds / 60_000)} min`;
}

/** "0.2 s ago", "12 s ago", "2 min ago". */
export const age = (milliseconds: number): string =>
  milliseconds < 1_000 ? `${(Math.max(0, milliseconds) / 1_000).toFixed(1)} s ago` : `${span(milliseconds)} ago`;
