/** Calendar days in the browser's time zone. */
const thisYear = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const otherYear = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

export const clockOf = (at: number): string => clock.format(at);

/** "Today", "Yesterday", "Friday 13 November". */
export function dayOf(at: number, now: number): string {
  const day = new Date(at).toDateString();
  if (day === new Date(now).toDateString()) return 'Today';
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  if (day === yesterday.toDateString()) return 'Yesterday';
  return (new Date(at).getFullYear() === new Date(now).getFullYear() ? thisYear : otherYear).format(at);
}

/** Groups items by day and keeps their order. */
export function byDay<Item extends { readonly createdAt: number }>(items: readonly Item[], now: number) {
  const days: { day: string; items: Item[] }[] = [];
  for (const item of items) {
    const day = dayOf(item.createdAt, now);
    const last = days.at(-1);
    if (last?.day === day) last.items.push(item);
    else days.push({ day, items: [item] });
  }
  return days;
}

/** The first or last moment of the day in a date field; undefined if the field is empty. */
export function startOfDay(value: string | undefined): number | undefined {
  const date = dateOf(value);
  return date?.getTime();
}
export function endOfDay(value: string | undefined): number | undefined {
  const date = dateOf(value);
  if (!date) return undefined;
  date.setDate(date.getDate() + 1);
  return date.getTime() - 1;
}

function dateOf(value: string | undefined): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value ?? '') ?? [];
  return day === undefined ? undefined : new Date(Number(year), Number(month) - 1, Number(day));
}

/** A date field value, the given number of days ago. */
export function dateValue(daysAgo: number, now: number): string {
  const date = new Date(now);
  date.setDate(date.getDate() - daysAgo);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
