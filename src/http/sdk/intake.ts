/**
 * What SDKs post: impressions, events and telemetry. Counted in memory; a job writes the counts to the database. SDKs lose or
 * repeat what is refused, so everything within the limit is taken, and what makes no sense is ignored.
 */
import type { Feed } from '#delivery/feed.ts';
import type { SdkKey } from '#delivery/keys.ts';
import { type Caller, type Sdks, toCaller } from '#delivery/sdks.ts';
import type { Snapshot } from '#delivery/snapshot.ts';
import type { ImpressionsMode, Traffic } from '#delivery/traffic.ts';
import { isObject, objectsOf } from '#domain/json.ts';
import { createReports, cutCounts, cutImpressions, cutItems, parseKeys, type Reports } from './reports.ts';
import {
  type Asked,
  type Body,
  callerOf,
  parseBody,
  Refusal,
  type SdkEndpoint,
  textOf,
  unavailable,
} from './respond.ts';

/** Browsers send no larger ones. */
const maxBeaconBytes = 65_536;

interface Counting {
  readonly feed: Pick<Feed, 'current'>;
  readonly sdks: Sdks;
  readonly traffic: Traffic;
}

interface Report {
  readonly caller: Caller;
  readonly mode: ImpressionsMode | undefined;
  readonly snapshot: Snapshot;
}

/** What an endpoint does with its body, or with each part of a long one. */
interface Intake {
  readonly take: (counting: Counting, report: Report, body: unknown) => void;
  /** For long lists of objects. Other long bodies are keys, or nothing that SDKs send. */
  readonly cut?: Parameters<Reports['parse']>[1];
}

const impressions: Intake = {
  cut: cutImpressions,
  take: ({ sdks, traffic }, { caller, mode, snapshot }, body) => {
    traffic.impressions(snapshot, caller, body, mode);
    if (sdks.wantsAnswers(snapshot.environmentId)) sdks.answered(snapshot.environmentId, answersIn(body));
  },
};
const counts: Intake = {
  cut: cutCounts,
  take: ({ traffic }, { caller, snapshot }, body) => traffic.counts(snapshot, caller, body),
};
const keys: Intake = {
  take: ({ traffic }, { caller, snapshot }, body) => traffic.keys(snapshot, caller, body),
};
const events: Intake = {
  cut: cutItems,
  take: ({ traffic }, { snapshot }, body) => traffic.events(snapshot.environmentId, body),
};
const configuration: Intake = { take: ({ sdks }, { caller }, body) => keepConfig(sdks, caller, body) };
const usage: Intake = { take: ({ sdks }, { caller }, body) => keepUsage(sdks, caller, body) };
/** Of SDKs before telemetry. */
const ignored: Intake = { take: () => undefined };

/** SDKs differ in whether their telemetry address includes `v1`. */
const both = (path: string, intake: Intake): [string, Intake][] => [
  [path, intake],
  [`v1/${path}`, intake],
];

const data: readonly [path: string, intake: Intake][] = [
  ['testImpressions/bulk', impressions],
  ['testImpressions/count', counts],
  ['events/bulk', events],
  ...both('keys/ss', keys),
  ...both('keys/cs', keys),
  ...both('metrics/config', configuration),
  ...both('metrics/usage', usage),
  ...['times', 'counters', 'gauge', 'time', 'counter'].map((path): [string, Intake] => [`metrics/${path}`, ignored]),
];

const beacons: readonly [path: string, intake: Intake][] = [
  ['testImpressions/beacon', impressions],
  ['testImpressions/count/beacon', counts],
  ['events/beacon', events],
  ...both('keys/cs/beacon', keys),
  ...both('metrics/usage/beacon', usage),
];

/** Counting gives way to changes: people wait for those, and nobody for a report. */
export function intake(counting: Counting, afterWrites: () => Promise<void> | undefined): SdkEndpoint[] {
  const reports = createReports(afterWrites, () => counting.traffic.drop('too much'));
  const snapshotOf = async ({ environmentId }: SdkKey): Promise<Snapshot> => {
    const snapshot = await counting.feed.current(environmentId);
    if (!snapshot) throw unavailable();
    return snapshot;
  };

  const parse = (body: Buffer, { cut }: Intake, count: (body: unknown) => void): boolean | Promise<boolean> => {
    if (cut) return reports.parse(body, cut, count);
    count(parseKeys(body));
    return true;
  };

  const take = async (asked: Asked, one: Intake): Promise<Body> => {
    const { request } = asked;
    const key = await asked.key();
    const sent = await reports.read(request);
    const mode = modeOf(request.headers.splitsdkimpressionsmode);
    const report = { caller: callerOf(request, key), mode, snapshot: await snapshotOf(key) };
    const isRead = await parse(sent, one, (body) => one.take(counting, report, body));
    if (!isRead) counting.traffic.drop('malformed');
    return { body: '{}' };
  };

  /** Sent when a page is left, without headers of the SDK: the key is in the body. */
  const takeBeacon = async (asked: Asked, { take: count }: Intake): Promise<Body> => {
    const body = parseBody(await textOf(asked.request, maxBeaconBytes));
    if (body === undefined) throw new Refusal(400, 'The body is not JSON');
    const { token, sdk, entries, sim } = isObject(body) ? body : {};
    const key = await asked.keyWith(typeof token === 'string' ? token : undefined);
    const caller = toCaller({ key, sdk: typeof sdk === 'string' ? sdk : undefined });
    count(counting, { caller, mode: modeOf(sim), snapshot: await snapshotOf(key) }, entries);
    return { status: 204, body: '' };
  };

  const at = (path: string, answer: SdkEndpoint['answer']) =>
    ({ method: 'POST', path: `/api/${path}`, answer }) as const;
  return [
    ...data.map(([path, one]) => at(path, (asked) => take(asked, one))),
    ...beacons.map(([path, one]) => at(path, (asked) => takeBeacon(asked, one))),
  ];
}

const modeOf = (sent: unknown): ImpressionsMode | undefined =>
  sent === 'OPTIMIZED' || sent === 'DEBUG' || sent === 'NONE' ? sent : undefined;

/** `[{f: flag, i: [{k: key, t: treatment, m: milliseconds, r: label}]}]`, the last of each flag. */
const answersIn = (body: unknown) =>
  objectsOf(body).flatMap(({ f: flag, i: all }) =>
    objectsOf(Array.isArray(all) ? all.slice(-100) : undefined).flatMap(({ k, t, m, r }) =>
      typeof flag === 'string' && typeof k === 'string' && typeof t === 'string' && Number.isSafeInteger(m)
        ? [{ flag, key: k, treatment: t, at: m as number, ...(typeof r === 'string' ? { label: r } : {}) }]
        : [],
    ),
  );

/** `{tR: milliseconds until it was ready, rR: {sp: seconds between polls of flags}}` */
function keepConfig(sdks: Sdks, caller: Caller, body: unknown): void {
  if (!isObject(body)) return;
  const { tR, rR } = body;
  const seconds = countOf(isObject(rR) ? rR.sp : undefined);
  sdks.ready(caller, {
    ...(Number.isSafeInteger(tR) && (tR as number) >= 0 ? { readyMilliseconds: tR as number } : {}),
    ...(seconds > 0 && seconds <= maxPollSeconds ? { pollMilliseconds: seconds * 1_000 } : {}),
  });
}

const maxPollSeconds = 24 * 3_600;

const resources: Readonly<Record<string, string>> = {
  sp: 'flags',
  se: 'segments',
  ms: 'memberships',
  im: 'impressions',
  ic: 'impression counts',
  ev: 'events',
  te: 'telemetry',
  to: 'stream token',
};
const maxErrors = 20;

/** `{hE: {resource: {status: number}}, mE: {method: number}, iDr: number, eD: number, sL: number}` */
function keepUsage(sdks: Sdks, caller: Caller, body: unknown): void {
  if (!isObject(body)) return;
  const { hE, mE, iDr, eD, sL } = body;
  const http = Object.entries(isObject(hE) ? hE : {}).flatMap(([name, byStatus]) =>
    Object.entries(isObject(byStatus) ? byStatus : {}).flatMap(([status, count]) => {
      const resource = resources[name];
      return resource && /^\d{3}$/.test(status) && countOf(count) > 0
        ? [{ resource, status, count: countOf(count) }]
        : [];
    }),
  );
  sdks.reported(caller, {
    http: http.slice(0, maxErrors),
    exceptions: Object.values(isObject(mE) ? mE : {}).reduce<number>((sum, count) => sum + countOf(count), 0),
    droppedImpressions: countOf(iDr),
    droppedEvents: countOf(eD),
  });
  // The length of its session, which only the last report has.
  if (countOf(sL) > 0) sdks.stopped(caller);
}

const countOf = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
