/**
 * Stream messages in the format of the vendor's SDKs: server-sent events whose data is JSON with JSON in it. SDKs differ
 * in which fields of a frame they need; these frames work with all of them.
 */
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { toAsciiText } from '#domain/json.ts';
import { fallsBack } from '#domain/sdks.ts';
import type { FeedChange, FlagChange, SegmentChange } from './changes.ts';
import type { SdkKey } from './keys.ts';

/** A message, and who gets it. */
export interface Message {
  readonly channel: Channel;
  readonly body: object;
  readonly to: readonly Audience[];
}

/**
 * SDKs by what they understand. Payloads have the format of spec 1.3, so SDKs with an older spec are told to fetch
 * instead, and get no rule-based segments. Client-side SDKs before 1.2 expect another form of membership messages.
 */
export type Audience =
  | 'server'
  | 'server without payloads'
  | 'server before 1.3'
  | 'client'
  | 'client 1.2'
  | 'client before 1.2';
type Channel = 'flags' | 'segments' | 'memberships';

export const servers: readonly Audience[] = ['server', 'server without payloads', 'server before 1.3'];
const current: readonly Audience[] = ['server', 'client'];
const withoutPayloads: readonly Audience[] = ['server without payloads'];
const fetching: readonly Audience[] = [...withoutPayloads, 'server before 1.3', 'client 1.2', 'client before 1.2'];
const everyone = [...current, ...fetching];

/** Ruby's SDK and .NET's read up to 10,000 bytes at a time, and lose a message that is cut: theirs must be short. */
const readsInPieces = /^(ruby|\.NET)/;

export function audienceOf(type: SdkKey['type'], spec: string, sdk = ''): Audience {
  // This is how those that fell back to 1.2 hear of rule-based segments.
  const isCurrent = spec === '1.3' || (spec === '1.2' && fallsBack(sdk));
  if (type === 'client_side') return isCurrent ? 'client' : spec === '1.2' ? 'client 1.2' : 'client before 1.2';
  if (!isCurrent) return 'server before 1.3';
  return readsInPieces.test(sdk) ? 'server without payloads' : 'server';
}

/** Whether a message brings it the change itself. */
export const takesPayloads = (audience: Audience): boolean => current.includes(audience);

/** Channel names, and what a token lets its owner do there. SDKs ask for exactly these; the stream has them anyway. */
export function channelsOf(environmentId: string, type: SdkKey['type']): Record<string, readonly string[]> {
  const own: Channel = type === 'server_side' ? 'segments' : 'memberships';
  const control = ['subscribe', 'channel-metadata:publishers'];
  return {
    [`${environmentId}_flags`]: ['subscribe'],
    [`${environmentId}_${own}`]: ['subscribe'],
    control_pri: control,
    control_sec: control,
  };
}

/** Android and iOS recognise only this text. */
export const keepalive = Buffer.from(':keepalive\n\n');

/** Several SDKs count a stream as open only after such an event. Without publishers they would poll. */
export const greeting = (now: number): string =>
  keepalive +
  ['pri', 'sec']
    .map((which) => {
      const channel = `[?occupancy=metrics.publishers]control_${which}`;
      const data = JSON.stringify({ metrics: { publishers: 1 } });
      return event(String(now), { timestamp: now, encoding: 'json', channel, data, name: '[meta]occupancy' });
    })
    .join('');

/** A message in its environment. The id means nothing to SDKs: they read everything after each reconnect. */
export const frameOf = ({ channel, body }: Message, environmentId: string, now: number): string =>
  event(String(now), {
    clientId: 'burgee',
    timestamp: now,
    encoding: 'json',
    channel: `${environmentId}_${channel}`,
    data: JSON.stringify(body),
  });

const event = (id: string, fields: object): string =>
  `id: ${id}\nevent: message\ndata: ${JSON.stringify({ id, ...fields })}\n\n`;

/** More changes at once than this are one message without payload. */
const maxPayloads = 20;

/** The messages about flags and rule-based segments. SDKs take a payload only if its `pcn` is what they have. */
export async function definitionMessages({
  flags,
  ruleBasedSegments,
  before,
}: Pick<FeedChange, 'flags' | 'ruleBasedSegments' | 'before'>): Promise<Message[]> {
  // First the segments: SDKs fetch everything if a flag names one that they do not have.
  const [segmentUpdates, flagUpdates] = await Promise.all([
    chain(ruleBasedSegments, before.ruleBasedNumber, async (segment, pcn) => [
      { channel: 'flags', to: current, body: await update('RB_SEGMENT_UPDATE', segment, pcn) },
      { channel: 'flags', to: withoutPayloads, body: { type: 'RB_SEGMENT_UPDATE', changeNumber: segment.number } },
    ]),
    chain(flags, before.flagsNumber, async (flag, pcn) => [
      ...(flag.isKilled ? [kill(flag)] : []),
      { channel: 'flags', to: current, body: await update('SPLIT_UPDATE', flag, pcn) },
      { channel: 'flags', to: fetching, body: { type: 'SPLIT_UPDATE', changeNumber: flag.number } },
    ]),
  ]);
  return [
    ...(segmentUpdates ?? [fetchAll('RB_SEGMENT_UPDATE', ruleBasedSegments, [...current, ...withoutPayloads])]),
    ...(flagUpdates ?? [fetchAll('SPLIT_UPDATE', flags, everyone)]),
  ];
}

/** Whether SDKs that take payloads need to fetch nothing after it. */
export const isWhole = ({ body, to }: Message): boolean => !to.some(takesPayloads) || !isUpdate(body) || 'd' in body;

const isUpdate = (body: object): boolean => 'type' in body && body.type === 'SPLIT_UPDATE';

type Changed = SegmentChange | FlagChange;

/** The messages for each, with the number before it; undefined if there are too many. */
async function chain<Each extends Changed>(
  changes: readonly Each[],
  start: number,
  toMessages: (change: Each, pcn: number) => Promise<Message[]>,
): Promise<Message[] | undefined> {
  if (changes.length > maxPayloads) return undefined;
  const messages = changes.map((change, index) => toMessages(change, changes[index - 1]?.number ?? start));
  return (await Promise.all(messages)).flat();
}

type UpdateType = 'SPLIT_UPDATE' | 'RB_SEGMENT_UPDATE';

const fetchAll = (type: UpdateType, changes: readonly Changed[], to: readonly Audience[]): Message => ({
  channel: 'flags',
  to,
  body: { type, changeNumber: changes.at(-1)?.number },
});

/** SDKs apply this at once, before they fetch or unpack anything. */
const kill = ({ name, number, defaultTreatment }: FlagChange): Message => ({
  channel: 'flags',
  to: everyone,
  body: { type: 'SPLIT_KILL', changeNumber: number, splitName: name, defaultTreatment },
});

async function update(type: UpdateType, { number, text }: Changed, pcn: number): Promise<object> {
  const packed = text.length <= maxText ? await pack(toAsciiText(text.toString())) : undefined;
  const payload = packed && packed.length <= maxPayload ? { pcn, c: zlib, d: packed.toString('base64') } : {};
  return { type, changeNumber: number, ...payload };
}

/**
 * In bytes. The JavaScript SDK unpacks by `String.fromCharCode.apply`, for which this is too long in Safari: then it
 * fetches as it would without payload, but writes a warning first.
 */
export const maxText = 65_000;
/** In bytes, packed: every stream gets them. */
const maxPayload = 8_192;

/** What SDKs call the compression by `pack`. */
export const zlib = 2;

/** In a thread of libuv's pool. */
export const pack = promisify<string | Uint8Array, Buffer>(deflate);
