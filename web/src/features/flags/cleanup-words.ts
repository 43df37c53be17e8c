/** The evidence of the cleanup page, in words. */

import type { CleanupFlag } from '#domain/cleanup.ts';
import { dayMs } from '#domain/durations.ts';

const numbers = new Intl.NumberFormat('en');
const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

const dateOf = (at: number): string => dates.format(at);

const days = (count: number): string => (count === 1 ? '1 day' : `${numbers.format(count)} days`);
const daysBetween = (from: number, to: number): number => Math.max(0, Math.floor((to - from) / dayMs));

/** "45 d", "14 mo". */
export function shortLength(ms: number): string {
  const count = Math.max(0, Math.floor(ms / dayMs));
  return count < 61 ? `${count} d` : `${numbers.format(Math.floor(count / 30.44))} mo`;
}

/** Since when it is as the group says. */
export const startOf = ({ killedSince, treatmentSince, creationTime, group }: CleanupFlag): number =>
  (group === 'killed' ? killedSince : treatmentSince) ?? creationTime;

/** "in Production", "in 4 of 5 environments". */
export function whereInWords(
  { definedIn }: Pick<CleanupFlag, 'definedIn'>,
  decisive: readonly { readonly id: string; readonly name: string }[],
): string {
  const there = decisive.filter(({ id }) => definedIn.some((one) => one.id === id));
  const [only] = there;
  if (decisive.length === 1 && only) return `in ${only.name}`;
  return `in ${there.length} of ${decisive.length} environments`;
}

/** How often SDKs asked lately. */
export function callsInWords({ calls, lastTrafficReceivedAt, isSilent }: CleanupFlag, now: number): string {
  if (lastTrafficReceivedAt === undefined) return isSilent ? 'SDKs do not report it' : 'Never called';
  const [today = 0, yesterday = 0] = calls?.perDay.toReversed() ?? [];
  if (yesterday > 0) return `${countInWords(yesterday)} yesterday`;
  if (today > 0) return `${countInWords(today)} today`;
  const since = daysBetween(lastTrafficReceivedAt, now);
  return since === 0 ? 'Last call today' : `No calls for ${days(since)}`;
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const countInWords = (count: number): string =>
  count === 1 ? '1 call' : `${count < 100_000 ? numbers.format(count) : short.format(count)} calls`;

/** What else speaks for or against removing it, a sentence each. */
export function notesOf(flag: CleanupFlag): string[] {
  const { askers = [], codeReferences, unknownSegments, pastDates, treatment, calls, keep } = flag;
  const names = [...new Set(askers.map(({ machine, sdk }) => (machine ? `${machine} (${sdk})` : sdk)))];
  const seen = calls?.treatments ?? [];
  return [
    ...(names.length > 0 ? [`Last from ${names.join(', ')}`] : []),
    ...(codeReferences > 0 ? [`Code names it ${codeReferences === 1 ? 'once' : `${codeReferences} times`}`] : []),
    ...(treatment === undefined && seen.length === 1 ? [`SDKs got only ${seen[0]}`] : []),
    ...unknownSegments.map((name) => `Names the segment ${name}, which does not exist`),
    ...pastDates.map(({ attribute, date }) => `A rule compares ${attribute} with ${dateOf(date)}`),
    ...(keep ? [keepInWords(keep)] : []),
  ];
}

const keepInWords = ({ until, note, keptBy }: NonNullable<CleanupFlag['keep']>): string =>
  `Kept by ${keptBy}${until === undefined ? '' : ` until ${dateOf(until)}`}${note ? `: ${note}` : ''}`;
