/**
 * Delivers outbox entries, with a handler for each kind.
 *
 * Invariants
 * 1. An entry is claimed only after the commit that wrote it, and by one worker at a time in any process.
 * 2. An entry leaves the outbox only after its handler has delivered it: at least once, never lost.
 * 3. Delivery happens outside transactions, and each target has its own concurrency: a slow target delays only itself.
 * 4. If a process dies during a delivery, its entries become due again when their lease ends.
 */

import type { Logger } from 'pino';
import { dayMs, hourMs } from '#domain/durations.ts';
import { commandLine } from '#domain/operator.ts';
import {
  type Claim,
  claimDue,
  deleteEntry,
  extendClaims,
  type Head,
  listHeads,
  type OutboxEntry,
  saveFailure,
  saveGivenUp,
} from '#store/outbox.ts';
import { housekeep, type Store } from '#store/sql.ts';

const leaseMs = 60_000;
const maxDeliveryMs = 120_000;
const firstPauseMs = 1_000;
const longestPauseMs = hourMs;
const giveUpAfterMs = 3 * dayMs;
/** Another process may have written an entry without a notice reaching us. */
const longestSleepMs = 30_000;
/** Another node was faster, or has claimed what looked due. */
const afterNothingMs = 1_000;
/** Pause after a database error. */
const afterErrorMs = 5_000;
/** Bounds memory and the length of the statement. */
const maxTargetsInClaim = 20;

export interface OutboxHandler {
  /** What is delivered, for the log: 'mail'. */
  readonly noun: string;
  /** Concurrent deliveries on this node: to one target, and of this handler. Handlers do not wait for each other. */
  readonly perTarget: number;
  readonly atOnce: number;
  /** Members of log lines about an entry. */
  facts(entry: OutboxEntry): Readonly<Record<string, unknown>>;
  /** Resolves when it is delivered. Throws to retry later, or `GiveUp`. The signal aborts it after two minutes. */
  deliver(entry: OutboxEntry, signal: AbortSignal): Promise<void>;
}

/** By kind of entry. Entries of other kinds stay for a node that has a handler. */
export type OutboxHandlers = Readonly<Record<string, OutboxHandler>>;

/** A retry would not help. */
export class GiveUp extends Error {}

export interface OutboxWorker {
  /** Claims nothing more; resolves when deliveries in progress are settled. */
  stop(): Promise<void>;
}

export interface OutboxOptions {
  readonly store: Store;
  readonly log: Logger;
  readonly handlers: OutboxHandlers;
  /** Runs each time the worker wakes, before it claims anything. */
  readonly onWake?: () => Promise<void>;
}

export function startOutbox({ store, log, handlers, onWake }: OutboxOptions): OutboxWorker {
  const kinds = Object.keys(handlers);
  const underWay = new Map<OutboxEntry, Promise<void>>();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  /**
   * Resolves to the time until something is due. Reads before it writes, so that an idle server does not flush its
   * disk.
   */
  const work = async (): Promise<number> => {
    await onWake?.();
    const heads = kinds.length > 0 ? await listHeads(store) : [];
    const now = store.clock();
    const claims = claimsOf(
      heads.filter(({ dueAt }) => dueAt <= now),
      { handlers, underWay: [...underWay.keys()] },
    );
    const next = heads.find(({ kind, dueAt }) => dueAt > now && handlers[kind]);
    const sleepMs = next ? next.dueAt - now : longestSleepMs;
    if (claims.length === 0) return sleepMs;
    const except = Array.from(underWay.keys(), ({ id }) => id);
    const claimed = await housekeep(store, (tx) => claimDue(tx, claims, { kinds, except, leaseMs }));
    for (const entry of claimed) start(entry);
    return claimed.length > 0 ? 0 : Math.min(sleepMs, afterNothingMs);
  };
  const start = (entry: OutboxEntry) => {
    const handler = handlers[entry.kind] as OutboxHandler;
    const delivering = deliver({ store, log, handler }, entry)
      .catch((error: unknown) => log.error({ err: error, id: entry.id }, `a ${handler.noun} could not be settled`))
      .finally(() => {
        underWay.delete(entry);
        wake();
      });
    underWay.set(entry, delivering);
  };
  const wake = () => {
    if (stopped) return;
    clearTimeout(timer);
    running = running.then(work).then(sleep, (error: unknown) => {
      log.error({ err: error }, 'processing the outbox failed');
      sleep(afterErrorMs);
    });
  };
  const sleep = (sleepMs: number) => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(wake, Math.min(sleepMs, longestSleepMs)).unref();
  };
  const heartbeat = setInterval(() => {
    if (underWay.size === 0) return;
    housekeep(store, (tx) => extendClaims(tx, [...underWay.keys()], leaseMs)).catch((error: unknown) =>
      log.warn({ err: error }, 'claims on outbox entries could not be extended'),
    );
  }, leaseMs / 3).unref();
  store.onCommit({
    onNotice: ({ kind }) => {
      if (kind === 'outbox' || kind === 'missed') wake();
    },
    failed: (error) => log.error({ err: error }, 'waking the outbox failed'),
  });
  wake();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
      await Promise.all(underWay.values());
      clearInterval(heartbeat);
    },
  };
}

interface Room {
  readonly handlers: OutboxHandlers;
  readonly underWay: readonly OutboxEntry[];
}

/** For each target with due entries, as many as it and its handler can take. */
function claimsOf(due: readonly Head[], { handlers, underWay }: Room): Claim[] {
  const free = new Map<OutboxHandler, number>();
  for (const handler of Object.values(handlers)) free.set(handler, handler.atOnce);
  const take = (handler: OutboxHandler, count: number) => free.set(handler, (free.get(handler) ?? 0) - count);
  for (const { kind } of underWay) take(handlers[kind] as OutboxHandler, 1);
  const claims: Claim[] = [];
  for (const { target, kind } of due) {
    const handler = handlers[kind];
    if (!handler || claims.length === maxTargetsInClaim) continue;
    const busy = underWay.filter((entry) => entry.target === target).length;
    const limit = Math.min(handler.perTarget - busy, free.get(handler) ?? 0);
    if (limit <= 0) continue;
    claims.push({ target, limit });
    take(handler, limit);
  }
  return claims;
}

interface Delivering {
  readonly store: Store;
  readonly log: Logger;
  readonly handler: OutboxHandler;
}

async function deliver({ store, log, handler }: Delivering, entry: OutboxEntry): Promise<void> {
  const { noun } = handler;
  const { kind, attempts, createdAt } = entry;
  const facts = { kind, ...handler.facts(entry), attempts };
  const error = await tryToDeliver(handler, entry);
  if (error === undefined) {
    await housekeep(store, (tx) => deleteEntry(tx, entry));
    log.info(facts, `${noun} sent`);
    return;
  }
  const { message } = error;
  const dueAt = store.clock() + pauseAfter(attempts);
  if (error instanceof GiveUp || dueAt - createdAt > giveUpAfterMs) {
    await housekeep(store, (tx) => saveGivenUp(tx, entry, message));
    log.error({ ...facts, error: message }, `${noun} given up; to see it, run: ${commandLine('outbox list')}`);
  } else {
    await housekeep(store, (tx) => saveFailure(tx, entry, { error: message, dueAt }));
    log.warn({ ...facts, error: message }, `${noun} not sent, will be tried again`);
  }
}

/** The error, or undefined if it was delivered. */
async function tryToDeliver(handler: OutboxHandler, entry: OutboxEntry): Promise<Error | undefined> {
  const controller = new AbortController();
  const { promise: tooLong, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`${entry.target} did not finish within ${maxDeliveryMs / 1000} seconds`));
    controller.abort();
  }, maxDeliveryMs).unref();
  try {
    await Promise.race([handler.deliver(entry, controller.signal), tooLong]);
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    clearTimeout(timer);
  }
}

/** One second, doubling up to an hour, plus or minus a fifth so that retries spread out. */
function pauseAfter(attempts: number): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
  return Math.round(pause * (0.8 + 0.4 * Math.random()));
}
