/** Starts what SDKs read: the keys, then the environments that have keys. */
import type { Logger } from 'pino';
import type { Store } from '#store/sql.ts';
import { type Feed, startFeed } from './feed.ts';
import { type SdkKeys, startKeys } from './keys.ts';

export interface Delivery {
  readonly keys: SdkKeys;
  readonly feed: Feed;
  stop(): Promise<void>;
}

/** Resolves when the keys were read; environments are read after that. */
export async function startDelivery({ store, log }: { store: Store; log: Logger }): Promise<Delivery> {
  const keys = await startKeys({ store, log });
  const feed = startFeed({ store, log, environmentIds: keys.environmentIds() });
  return {
    keys,
    feed,
    stop: async () => {
      await Promise.all([keys.stop(), feed.stop()]);
    },
  };
}
