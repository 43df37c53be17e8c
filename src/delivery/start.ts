/** Starts what SDKs read: the keys, then the environments that have keys, and the streams that tell of changes. */
import type { Logger } from 'pino';
import type { Store } from '#store/sql.ts';
import type { Disk } from './disk.ts';
import { type Feed, startFeed } from './feed.ts';
import { type SdkKeys, startKeys } from './keys.ts';
import { createSdks, type Sdks } from './sdks.ts';
import { createStreams, type Streams } from './streams.ts';

export interface Delivery {
  readonly keys: SdkKeys;
  readonly feed: Feed;
  readonly streams: Streams;
  readonly sdks: Sdks;
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
  const streams = createStreams({ feed, keys, log, now: () => store.clock() });
  return {
    keys,
    feed,
    streams,
    sdks: createSdks(() => store.clock()),
    stop: async () => {
      await Promise.all([streams.end(), keys.stop(), feed.stop()]);
      await disk?.stop();
    },
  };
}
