/** What the page says about connected SDKs. */
import { dayMs, hourMs } from '#domain/durations.ts';
import type { ConnectedSdk, Convergence, SdkErrors } from '#domain/sdks.ts';

type Straggler = Convergence['stragglers'][number];

/** "0.14 s", "2.9 s", "48 s", "12 min", "3 h". */
export function span(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 1) return `${Number(seconds.toFixed(2))} s`;
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/** "All 420 instances have the last change". */
export function headline({ instances, converged }: Pick<Convergence, 'instances' | 'converged'>): string {
  if (instances === 0) return 'No instance is connected';
  if (converged < instances) return `${number(converged)} of ${number(instances)} hold the last change`;
  return instances === 1 ? 'The only instance has the last change' : `All ${number(instances)} hold the last change`;
}

export const number = (value: number): string => value.toLocaleString('en');

/** Why it does not have the change yet. */
export function whyBehind({ streams, lastSeenAt, pollMilliseconds }: Straggler, serverTime: number): string {
  if (streams > 0) return 'Its stream was notified. It has not fetched the flags yet.';
  const ago = `last seen ${span(serverTime - lastSeenAt)} ago`;
  if (pollMilliseconds === undefined) return `Waiting for its next poll, ${ago}`;
  const left = lastSeenAt + pollMilliseconds - serverTime;
  return `Polls every ${span(pollMilliseconds)}, ${left > 0 ? `next in ${span(left)}` : ago}`;
}

export const whySilent = ({ lastSeenAt }: Straggler, serverTime: number): string =>
  `Last seen ${span(serverTime - lastSeenAt)} ago, without saying that it stops. Its machine may be gone.`;

/** The time after which this share of the waiting SDKs had the change. Undefined if they never did. */
export const reachedAfter = (arrivals: readonly number[], waited: number, share: number): number | undefined =>
  arrivals[Math.max(1, Math.ceil(waited * share)) - 1];

export interface CurvePoint {
  readonly x: number;
  readonly y: number;
}

/** Most changes arrive within 100 ms or with the next poll, so the axis is logarithmic. */
const firstMs = 10;
const marks = [100, 1_000, 10_000, 60_000, 600_000, hourMs, dayMs];

/** The instances that have the change over time. Both axes go from 0 to 1; y is the share of those that waited. */
export function curveOf(arrivals: readonly number[], waited: number, elapsed: number) {
  const last = Math.max(1_000, arrivals.at(-1) ?? 0, waited > arrivals.length ? elapsed : 0);
  const x = (milliseconds: number) =>
    Math.min(1, Math.log(Math.max(firstMs, milliseconds) / firstMs) / Math.log((last * 1.1) / firstMs));
  const points: CurvePoint[] = arrivals.map((milliseconds, index) => ({
    x: x(milliseconds),
    y: (index + 1) / waited,
  }));
  return { x, points, ticks: marks.filter((mark) => mark <= last) };
}

export interface VersionUse {
  readonly version: string;
  readonly count: number;
  readonly kind: 'newest' | 'older' | 'lacking';
  readonly advice: string | undefined;
}

export interface SdkUse {
  readonly name: string;
  readonly count: number;
  /** Newest first. */
  readonly versions: readonly VersionUse[];
}

/** "nodejs-11.11.2" is nodejs 11.11.2. */
export function nameAndVersion(sdk: string): readonly [name: string, version: string] {
  const at = sdk.search(/-\d/);
  return at < 0 ? [sdk, ''] : [sdk.slice(0, at), sdk.slice(at + 1)];
}

const byVersion = new Intl.Collator('en', { numeric: true });

/** By SDK, the most used first. */
export function usesOf(sdks: readonly ConnectedSdk[]): SdkUse[] {
  const byName = Map.groupBy(sdks, ({ sdk }) => nameAndVersion(sdk)[0]);
  return [...byName]
    .map(([name, own]) => {
      const groups = [...Map.groupBy(own, ({ sdk }) => nameAndVersion(sdk)[1])].sort(([a], [b]) =>
        byVersion.compare(b, a),
      );
      const versions = groups.map(([version, same], index): VersionUse => {
        const advice = same.find((sdk) => sdk.advice !== undefined)?.advice;
        return {
          version,
          count: same.length,
          advice,
          kind: advice !== undefined ? 'lacking' : index === 0 ? 'newest' : 'older',
        };
      });
      return { name, count: own.length, versions };
    })
    .sort((a, b) => b.count - a.count);
}

/** "4 × 503 for flags, 2 exceptions". Empty if there were none. */
export function errorsInWords({ http, exceptions, droppedImpressions, droppedEvents }: SdkErrors): string {
  const several = (count: number, one: string, many: string) =>
    count === 0 ? [] : [`${number(count)} ${count === 1 ? one : many}`];
  return [
    ...http.map(({ resource, status, count }) => `${number(count)} × ${status} for ${resource}`),
    ...several(exceptions, 'exception', 'exceptions'),
    ...several(droppedImpressions, 'impression dropped', 'impressions dropped'),
    ...several(droppedEvents, 'event dropped', 'events dropped'),
  ].join(', ');
}

/** "1,204.5": only significant digits. */
export const amount = (value: number): string =>
  value.toLocaleString('en', Math.abs(value) < 1_000 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 1 });

const hour = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** "Most: 12 on 15 Nov, 14:00". */
export function peakOf(counts: readonly number[], from: number, step: number): string {
  const most = Math.max(0, ...counts);
  if (most === 0) return 'None in this period';
  const at = from + counts.indexOf(most) * step;
  return `Most: ${number(most)} ${step === dayMs ? 'on' : 'in the hour from'} ${(step === dayMs ? day : hour).format(at)}`;
}
