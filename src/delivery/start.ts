/** Starts what SDKs read: the keys, then the environments that have keys, and the streams that announce changes. */
import type { Logger } from 'pino';
import type { Store } from '#store/sql.ts';
import type { Disk } from './disk.ts';
import { type Feed, startFeed } from './feed.ts';
import { type SdkKeys, startKeys } from './keys.ts';
import { createRecents, type Recents } from './recents.ts';
import { createSdks, type Sdks } from './sdks.ts';
import { createStreams, type Streams } from './streams.ts';
import { createTraffic, type Traffic } from './traffic.ts';

export interface Delivery {
  readonly keys: SdkKeys;
  readonly feed: Feed;
  readonly streams: Streams;
  readonly sdks: Sdks;
  readonly recents: Recents;
  readonly traffic: Traffic;
  stop(): Promise<void>;
}

export interface DeliveryOptions {
  readonly store: Store;
  readonly log: Logger;
  /** Where a copy is kept. */
  readonly disk?: Disk | undefined;
}

/** Resolves when the keys were read; environments are read after that. */
export async function startDelivery({ store, log, disk }: DeliveryOptions): Promise<Delivery> {
  const keys = await startKeys({ store, log, changed: disk?.saveKeys });
  const feed = startFeed({ store, log, environmentIds: keys.environmentIds(), published: disk?.save });
  const now = () => store.clock();
  const sdks = createSdks(now);
  const recents = createRecents(now);
  const streams = createStreams({ feed, keys, log, now, streamed: sdks.streamed });
  return {
    keys,
    feed,
    streams,
    sdks,
    recents,
    traffic: createTraffic(now, recents),
    stop: async () => {
      await Promise.all([streams.end(), keys.stop(), feed.stop()]);
      await disk?.stop();
    },
  };
}
