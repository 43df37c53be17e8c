/** Notes when a key or a session was last used, at most once a minute each, without making any request wait for it. */
import type { Logger } from 'pino';
import type { ApiKey } from '#domain/api-keys.ts';
import { saveLastUsed } from '#store/api-keys.ts';
import { type Session, saveLastSeen } from '#store/sessions.ts';
import { housekeep, type Store, type Tx } from '#store/sql.ts';

const exactToMs = 60_000;

export function keyUse(store: Store, log: Logger): (key: ApiKey) => void {
  const note = lastUse(store, log, saveLastUsed);
  return ({ id, lastUsedAt }) => note(id, lastUsedAt);
}

export function sessionUse(store: Store, log: Logger): (session: Session) => void {
  const note = lastUse(store, log, saveLastSeen);
  return ({ id, lastSeenAt }) => note(id, lastSeenAt);
}

function lastUse(store: Store, log: Logger, save: (tx: Tx, id: string) => Promise<number>) {
  const underWay = new Set<string>();
  return (id: string, lastAt: number | undefined): void => {
    if (underWay.has(id) || (lastAt !== undefined && store.clock() - lastAt < exactToMs)) return;
    underWay.add(id);
    housekeep(store, (tx) => save(tx, id))
      .catch((error: unknown) => log.warn({ err: error, id }, 'the last use could not be noted'))
      .finally(() => underWay.delete(id));
  };
}
