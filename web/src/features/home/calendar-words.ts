import type { CalendarDay } from '#domain/changes.ts';
import { countOf } from '../../administration/count.ts';

type Sum = Omit<CalendarDay, 'day'>;

export function sumOf(days: readonly CalendarDay[]): Sum {
  const sum = { count: 0, production: 0, kills: 0, isPartial: false };
  for (const one of days) {
    sum.count += one.count;
    sum.production += one.production;
    sum.kills += one.kills;
    sum.isPartial ||= one.isPartial;
  }
  return sum;
}

/** "12 changes in 30 days, 3 in production". Of days that were counted in part, how many were in production is unknown. */
export function sumInWords({ count, production, isPartial }: Sum, when?: string): string {
  const changes = [countOf(count, 'change'), ...(when ? [when] : [])].join(' ');
  return isPartial ? `At least ${changes}` : `${changes}, ${production.toLocaleString('en')} in production`;
}
