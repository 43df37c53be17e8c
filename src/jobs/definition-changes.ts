/**
 * Reports every environment whose definitions or segments changed, on whichever node.
 *
 * Invariants
 * 1. Only committed changes are reported, and numbers never decrease.
 * 2. Nothing is missed: notices arrive at once, and what got lost with a connection is found by comparing numbers.
 * 3. Changes in quick succession may be reported as one: the last.
 */
import type { Logger } from 'pino';
import { type ChangedEnvironment, listChangeNumbers } from '#store/environments.ts';
import type { Received } from '#store/notices.ts';
import type { Store } from '#store/sql.ts';

export interface DefinitionsChanged {
  readonly environmentId: string;
  readonly changeNumber: number;
}

export interface Watch {
  stop(): Promise<void>;
}

export interface WatchOptions {
  readonly store: Store;
  readonly log: Logger;
  /** How often all numbers are compared, even without notices. */
  readonly compareMs?: number;
}

const usualCompareMs = 15_000;

export async function watchDefinitions(
  { store, log, compareMs = usualCompareMs }: WatchOptions,
  tell: (change: DefinitionsChanged) => void,
): Promise<Watch> {
  const known = new Map<string, number>();
  let running: Promise<void> | undefined;
  let isWantedAgain = false;
  let isStopped = false;

  const note = ({ id, changeNumber }: ChangedEnvironment): void => {
    if (changeNumber <= (known.get(id) ?? 0)) return;
    known.set(id, changeNumber);
    tell({ environmentId: id, changeNumber });
  };
  const compare = async () => {
    do {
      isWantedAgain = false;
      for (const row of await listChangeNumbers(store)) note(row);
    } while (isWantedAgain && !isStopped);
  };
  const look = () => {
    if (isStopped) return;
    isWantedAgain = true;
    running ??= compare()
      // The next comparison catches up.
      .catch((error: unknown) => log.warn({ err: error }, 'checking for definition changes failed'))
      .finally(() => {
        running = undefined;
      });
  };
  const onNotice = (received: Received) => {
    if (isStopped) return;
    if (received.kind === 'missed') look();
    else if (received.kind !== 'outbox') note({ id: received.environmentId, changeNumber: received.changeNumber });
  };

  for (const { id, changeNumber } of await listChangeNumbers(store)) known.set(id, changeNumber);
  store.onCommit({
    onNotice,
    failed: (error) => log.error({ err: error }, 'reporting a definition change failed'),
  });
  // Catches what was committed between the list and the subscription.
  look();
  const timer = setInterval(look, compareMs).unref();
  return {
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
