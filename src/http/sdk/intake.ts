/**
 * What SDKs post: events, impressions and telemetry. It is accepted and discarded; requests are counted like all others.
 * SDKs lose or repeat what is refused, so everything within the limit is taken.
 */
import type { IncomingMessage } from 'node:http';
import { type Asked, type Body, Refusal, type SdkEndpoint } from './respond.ts';

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

export const intake = (): SdkEndpoint[] => [
  ...[...data, ...oldMetrics].map((path) => ({ method: 'POST' as const, path: `/api/${path}`, answer: discard })),
  ...beacons.map((path) => ({ method: 'POST' as const, path: `/api/${path}`, answer: discardBeacon })),
];

async function discard({ request, key }: Asked): Promise<Body> {
  await key();
  await read(request, maxBytes, () => undefined);
  return { body: '{}' };
}

/** Sent when a page is left, without headers of the SDK: the key is in the body. */
async function discardBeacon({ request, keyWith }: Asked): Promise<Body> {
  const parts: Buffer[] = [];
  await read(request, maxBeaconBytes, (part) => parts.push(part));
  await keyWith(tokenIn(Buffer.concat(parts).toString()));
  return { status: 204, body: '' };
}

function tokenIn(text: string): string | undefined {
  try {
    const token = (JSON.parse(text) as { token?: unknown } | null)?.token;
    return typeof token === 'string' ? token : undefined;
  } catch {
    throw new Refusal(400, 'The body is not JSON');
  }
}

async function read(request: IncomingMessage, limit: number, take: (part: Buffer) => void): Promise<void> {
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes <= limit) take(part);
  }
  if (bytes > limit) throw new Refusal(413, `The body must not have more than ${limit} bytes`);
}
