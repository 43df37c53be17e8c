/** Work that a request starts and does not wait for. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ApiKey } from '#domain/api-keys.ts';
import { Problem } from '#domain/problems.ts';
import { saveLastUsed } from '#store/api-keys.ts';
import { type Session, saveLastSeen } from '#store/sessions.ts';
import { housekeep, type Store, type Tx } from '#store/sql.ts';

const maxUnderWay = 100;
/** Work that starts right after the reply would still affect its timing, because both use the same processor. */
const pauseAfterReplyMs = 100;
/** Last use is saved at most this often for each key and session. */
const lastUsePrecisionMs = 60_000;

interface AfterReplies {
  /** Refuses with `busy` if too much is in progress. */
  run(this: void, work: () => Promise<unknown>): void;
  /** Waits for all work in progress. */
  drain(this: void): Promise<void>;
}

export function createAfterReplies(log: Logger): AfterReplies {
  const underWay = new Set<Promise<void>>();
  return {
    run: (work) => {
      if (underWay.size >= maxUnderWay) throw new Problem('busy', { seconds: 2 });
      const done: Promise<void> = pause(pauseAfterReplyMs)
        .then(work)
        .catch((error: unknown) => log.error({ err: error }, 'work after a reply failed'))
        .then(() => void underWay.delete(done));
      underWay.add(done);
    },
    drain: async () => {
      await Promise.all(underWay);
    },
  };
}

export function keyUse(store: Store, log: Logger): (key: ApiKey) => void {
  const note = lastUse(store, log, saveLastUsed);
  return ({ id, lastUsedAt }) => note(id, lastUsedAt);
}

/** SDK keys are kept in memory, without their last use. */
export function sdkKeyUse(store: Store, log: Logger): (id: string) => void {
  const note = lastUse(store, log, saveLastUsed);
  const notedAt = new Map<string, number>();
  return (id) => {
    const lastAt = notedAt.get(id);
    if (lastAt !== undefined && store.clock() - lastAt < lastUsePrecisionMs) return;
    // Also if saving fails: while the database is down, one attempt a minute is enough.
    notedAt.set(id, store.clock());
    note(id, lastAt);
  };
}

export function sessionUse(store: Store, log: Logger): (session: Session) => void {
  const note = lastUse(store, log, saveLastSeen);
  return ({ id, lastSeenAt }) => note(id, lastSeenAt);
}

function lastUse(store: Store, log: Logger, save: (tx: Tx, id: string) => Promise<number>) {
  const underWay = new Set<string>();
  return (id: string, lastAt: number | undefined): void => {
    if (underWay.has(id) || (lastAt !== undefined && store.clock() - lastAt < lastUsePrecisionMs)) return;
    underWay.add(id);
    housekeep(store, (tx) => save(tx, id))
      .catch((error: unknown) => log.warn({ err: error, id }, 'saving the last use failed'))
      .finally(() => underWay.delete(id));
  };
}
