/**
 * What SDKs post: events, impressions and telemetry. It is accepted and discarded; requests are counted like all others.
 * SDKs lose or repeat what is refused, so everything within the limit is taken. Of small bodies, the last answers and the
 * time to ready are kept in memory, for people who are connecting an application.
 */
import type { Caller, Sdks } from '#delivery/sdks.ts';
import { isObject, objectsOf } from '#domain/json.ts';
import { type Asked, type Body, callerOf, parseBody, Refusal, readBody, type SdkEndpoint, textOf } from './respond.ts';

/** What the SDKs collect at most before they send it. */
const maxBytes = 5 * 1_048_576;
/** Browsers send no larger ones. */
const maxBeaconBytes = 65_536;

/** SDKs differ in whether their telemetry address includes `v1`. */
const telemetry = ['keys/ss', 'keys/cs', 'metrics/config', 'metrics/usage'].flatMap((path) => [path, `v1/${path}`]);
const data = ['events/bulk', 'testImpressions/bulk', 'testImpressions/count', ...telemetry];
/** Of SDKs before telemetry. */
const oldMetrics = ['times', 'counters', 'gauge', 'time', 'counter'].map((path) => `metrics/${path}`);
const beacons = ['events/beacon', 'testImpressions/beacon', 'testImpressions/count/beacon'].concat(
  ['keys/cs/beacon', 'metrics/usage/beacon'].flatMap((path) => [path, `v1/${path}`]),
);

/** Larger bodies are not looked into: parsing them would delay other requests. */
const maxParsedBytes = 65_536;

/** What is kept of some bodies. */
const readers: Readonly<Record<string, Keep>> = {
  'testImpressions/bulk': keepAnswers,
  'testImpressions/beacon': keepAnswers,
  'metrics/config': keepReadiness,
  'v1/metrics/config': keepReadiness,
};

type Keep = (sdks: Sdks, caller: Caller, body: unknown) => void;

export const intake = (sdks: Sdks): SdkEndpoint[] => [
  ...[...data, ...oldMetrics].map((path) => ({
    method: 'POST' as const,
    path: `/api/${path}`,
    answer: (asked: Asked) => take(sdks, readers[path], asked),
  })),
  ...beacons.map((path) => ({
    method: 'POST' as const,
    path: `/api/${path}`,
    answer: (asked: Asked) => takeBeacon(sdks, readers[path], asked),
  })),
];

async function take(sdks: Sdks, keep: Keep | undefined, asked: Asked): Promise<Body> {
  const { request } = asked;
  const found = await asked.key();
  const isWanted = keep !== undefined && (keep !== keepAnswers || sdks.wantsAnswers(found.environmentId));
  const parts: Buffer[] = [];
  let bytes = 0;
  await readBody(request, maxBytes, (part) => {
    bytes += part.length;
    if (isWanted && bytes <= maxParsedBytes) parts.push(part);
  });
  if (isWanted && bytes <= maxParsedBytes)
    keep(sdks, callerOf(request, found), parseBody(Buffer.concat(parts).toString()));
  return { body: '{}' };
}

/** Sent when a page is left, without headers of the SDK: the key is in the body. */
async function takeBeacon(sdks: Sdks, keep: Keep | undefined, asked: Asked): Promise<Body> {
  const body = parseBody(await textOf(asked.request, maxBeaconBytes));
  if (body === undefined) throw new Refusal(400, 'The body is not JSON');
  const { token, sdk, entries } = isObject(body) ? body : {};
  const key = await asked.keyWith(typeof token === 'string' ? token : undefined);
  keep?.(sdks, { key, sdk: typeof sdk === 'string' ? sdk : undefined }, entries);
  return { status: 204, body: '' };
}

/** `[{f: flag, i: [{k: key, t: treatment, m: milliseconds, r: label}]}]` */
function keepAnswers(sdks: Sdks, { key }: Caller, body: unknown): void {
  const answers = objectsOf(body).flatMap(({ f: flag, i: impressions }) =>
    objectsOf(impressions).flatMap(({ k, t, m, r }) =>
      typeof flag === 'string' && typeof k === 'string' && typeof t === 'string' && Number.isSafeInteger(m)
        ? [{ flag, key: k, treatment: t, at: m as number, ...(typeof r === 'string' ? { label: r } : {}) }]
        : [],
    ),
  );
  sdks.answered(key.environmentId, answers);
}

/** `{tR: milliseconds until it was ready}` */
function keepReadiness(sdks: Sdks, caller: Caller, body: unknown): void {
  const ready = isObject(body) ? body.tR : undefined;
  if (Number.isSafeInteger(ready) && (ready as number) >= 0) sdks.ready(caller, ready as number);
}
