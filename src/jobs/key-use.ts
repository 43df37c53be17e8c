/** Notes when a key was last used, at most once a minute per key, without making any request wait for it. */

import type { Logger } from 'pino';
import type { ApiKey } from '#domain/api-keys.ts';
import { saveLastUsed } from '#store/api-keys.ts';
import type { Store } from '#store/sql.ts';

const exactToMs = 60_000;

export function keyUse(store: Store, log: Logger, clock: () => number = Date.now): (key: ApiKey) => void {
  const underWay = new Set<string>();
  return ({ id, lastUsedAt }) => {
    if (underWay.has(id) || (lastUsedAt !== undefined && clock() - lastUsedAt < exactToMs)) return;
    underWay.add(id);
    store
      .write((tx) => saveLastUsed(tx, id))
      .catch((error: unknown) => log.warn({ err: error, key: id }, 'the last use of a key could not be noted'))
      .finally(() => underWay.delete(id));
  };
}
