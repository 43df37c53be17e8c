/**
 * Tells of every environment whose definitions changed, in whichever node that was.
 *
 * Invariants
 * 1. What is told was committed, and the number that is told is never less than one told before.
 * 2. Nothing is missed: a notice comes at once, and what got lost with a connection is found by comparing numbers.
 * 3. Changes that follow each other quickly may be told as one: the last.
 */
import type { Logger } from 'pino';
import { listChangeNumbers } from '#store/environments.ts';
import type { Heard, Store } from '#store/sql.ts';

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
  /** How often all numbers are compared, notice or not. */
  readonly compareMs?: number;
}

const usualCompareMs = 15_000;

export async function watchDefinitions(
  { store, log, compareMs = usualCompareMs }: WatchOptions,
  tell: (change: DefinitionsChanged) => void,
): Promise<Watch> {
  const known = new Map<string, number>();
  /** Environments to look at; undefined stands for all of them. */
  const wanted = new Set<string | undefined>();
  let running: Promise<void> | undefined;
  let isStopped = false;

  const note = ({ id, changeNumber }: { id: string; changeNumber: number }): void => {
    if (changeNumber <= (known.get(id) ?? 0)) return;
    known.set(id, changeNumber);
    tell({ environmentId: id, changeNumber });
  };
  const work = async () => {
    for (const id of wanted) {
      wanted.delete(id);
      for (const row of await listChangeNumbers(store, id)) note(row);
    }
  };
  const start = () => {
    if (isStopped) return;
    running ??= work().then(
      () => {
        running = undefined;
        if (wanted.size > 0) start();
      },
      (error: unknown) => {
        running = undefined;
        // The next comparison finds what this one could not.
        log.warn({ err: error }, 'changes of definitions could not be looked for');
      },
    );
  };
  const look = (id: string | undefined) => {
    wanted.add(id);
    start();
  };
  const hear = (heard: Heard) => {
    if (heard === 'missed') look(undefined);
    else if (heard.startsWith(topic)) look(heard.slice(topic.length));
  };

  for (const { id, changeNumber } of await listChangeNumbers(store)) known.set(id, changeNumber);
  store.onCommit(hear);
  // What was committed between the list and the listening.
  look(undefined);
  const timer = setInterval(look, compareMs, undefined).unref();
  return {
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

const topic = 'definitions:';
