/** All endpoints of SDKs. */
import type { Feed } from '#delivery/feed.ts';
import type { SdkKeys } from '#delivery/keys.ts';
import type { Sdks } from '#delivery/sdks.ts';
import type { Streams } from '#delivery/streams.ts';
import { createTokens, type TokenSecrets } from '#delivery/tokens.ts';
import type { Traffic } from '#delivery/traffic.ts';
import { intake } from './intake.ts';
import { ofrep } from './ofrep.ts';
import { polls } from './polls.ts';
import type { SdkEndpoint } from './respond.ts';
import { streamEndpoints } from './stream.ts';

export interface Delivered {
  readonly keys: SdkKeys;
  readonly feed: Feed;
  readonly streams: Streams;
  readonly sdks: Sdks;
  readonly traffic: Traffic;
}

export interface EndpointOptions {
  readonly secrets: TokenSecrets;
  readonly now: () => number;
  /** Of Burgee. */
  readonly version: string;
  /** See `Store`. */
  readonly afterWrites: () => Promise<void> | undefined;
}

export const sdkEndpoints = (
  delivery: Delivered,
  { secrets, now, version, afterWrites }: EndpointOptions,
): SdkEndpoint[] => [
  ...polls(delivery.feed, delivery.sdks, version),
  ...streamEndpoints({ ...delivery, tokens: createTokens(secrets), now }),
  ...intake(delivery, afterWrites),
  ...ofrep(delivery),
];
