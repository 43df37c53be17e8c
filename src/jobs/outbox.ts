/**
 * Works through the outbox.
 *
 * Invariants
 * 1. An entry is taken up only after the commit that put it there, and by one worker at a time, in whichever process.
 * 2. An entry leaves the outbox only after the mail server has taken the mail: at least once, never lost.
 * 3. Sending happens outside of any transaction: a slow mail server delays nobody but itself.
 * 4. Who dies while sending gives the entry back when its lease is over.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { commandLine } from '#domain/operator.ts';
import {
  claimDue,
  deleteEntry,
  extendClaim,
  findNextDue,
  hasUnannounced,
  type OutboxEntry,
  saveFailure,
  saveGivenUp,
  takeUnannounced,
} from '#store/outbox.ts';
import { housekeep, type Store } from '#store/sql.ts';
import { linkOf, type SendMail } from './mail.ts';

const leaseMs = 60_000;
const atOnce = 5;
const longestSendingMs = 120_000;
const firstPauseMs = 1_000;
const longestPauseMs = 60 * 60 * 1000;
const giveUpAfterMs = 3 * 24 * 60 * 60 * 1000;
/** Another process may have put something in without our hearing of it. */
const longestSleepMs = 30_000;
/** A database that refuses is not asked again at once. */
const afterErrorMs = 5_000;

export interface OutboxWorker {
  /** Takes up nothing more; resolves when what is under way is settled. */
  stop(): Promise<void>;
}

export interface OutboxOptions {
  readonly store: Store;
  readonly log: Logger;
  readonly publicUrl: string;
  /** Absent: no mail server is configured; the links are logged and the mails stay. */
  readonly send: SendMail | undefined;
}

export function startOutbox({ store, log, publicUrl, send }: OutboxOptions): OutboxWorker {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const underWay = new Set<Promise<void>>();

  /** Each mail has a place of its own: one that hangs keeps its place, and the others go on. */
  const sendDue = async (sender: SendMail) => {
    const limit = atOnce - underWay.size;
    if (limit === 0 || !(await isDue(store))) return;
    for (const entry of await housekeep(store, (tx) => claimDue(tx, { limit, leaseMs }))) {
      const sending = deliver({ store, log, send: sender }, entry)
        .catch((error: unknown) => log.error({ err: error, id: entry.id }, 'a mail could not be settled'))
        .finally(() => {
          underWay.delete(sending);
          wake();
        });
      underWay.add(sending);
    }
  };
  const work = () => (send ? sendDue(send) : announce(store, log, publicUrl));
  const wake = () => {
    if (stopped) return;
    clearTimeout(timer);
    running = running.then(work).then(
      () => sleep(0),
      (error: unknown) => {
        log.error({ err: error }, 'the outbox could not be worked');
        return sleep(afterErrorMs);
      },
    );
  };
  /** Until something is due, but at least and at most for a while. */
  const sleep = async (leastMs: number) => {
    const next = send && (await findNextDue(store).catch(() => undefined));
    const sleepMs = next === undefined ? longestSleepMs : Math.max(leastMs, next - store.clock());
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(wake, Math.min(sleepMs, longestSleepMs)).unref();
  };
  store.onCommit({
    onNotice: ({ kind }) => {
      if (kind === 'outbox' || kind === 'missed') wake();
    },
    failed: (error) => log.error({ err: error }, 'the outbox could not be woken'),
  });
  wake();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
      await Promise.all(underWay);
    },
  };
}

/** Looks before it writes: an idle server need not flush anything to its disk. */
const isDue = async (store: Store): Promise<boolean> =>
  ((await findNextDue(store)) ?? Number.POSITIVE_INFINITY) <= store.clock();

async function announce(store: Store, log: Logger, publicUrl: string): Promise<void> {
  if (!(await hasUnannounced(store))) return;
  for (const { mail } of await housekeep(store, takeUnannounced)) {
    const { kind, email, expiresAt } = mail;
    const link = linkOf(publicUrl, mail);
    log.info({ kind, email, link, expiresAt }, 'no mail server is configured: hand this link over yourself');
  }
}

interface Sending {
  readonly store: Store;
  readonly log: Logger;
  readonly send: SendMail;
}

async function deliver(sending: Sending, entry: OutboxEntry): Promise<void> {
  const { store, log } = sending;
  const { id, mail, attempts } = entry;
  if (mail.expiresAt <= store.clock()) {
    await housekeep(store, (tx) => saveGivenUp(tx, id, 'the link expired before the mail could be sent'));
    return;
  }
  const error = await trySending(sending, entry);
  if (error !== undefined) return putBack(store, log, entry, error);
  await housekeep(store, (tx) => deleteEntry(tx, id));
  log.info({ kind: mail.kind, email: mail.email, attempts }, 'mail sent');
}

/** What went wrong, or undefined when the mail server has taken the mail. */
async function trySending({ store, log, send }: Sending, { id, mail }: OutboxEntry): Promise<string | undefined> {
  const heartbeat = setInterval(() => {
    housekeep(store, (tx) => extendClaim(tx, id, leaseMs)).catch((error: unknown) =>
      log.warn({ err: error, id }, 'the claim on a mail could not be extended'),
    );
  }, leaseMs / 3).unref();
  try {
    await Promise.race([send(mail), tooLong()]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    clearInterval(heartbeat);
  }
}

/** A mail server that goes on sending something, but no end, is given up. */
async function tooLong(): Promise<never> {
  await pause(longestSendingMs, undefined, { ref: false });
  throw new Error(`the mail server did not finish within ${longestSendingMs / 1000} seconds`);
}

async function putBack(store: Store, log: Logger, entry: OutboxEntry, error: string): Promise<void> {
  const { id, mail, attempts, createdAt } = entry;
  const facts = { kind: mail.kind, email: mail.email, attempts, error };
  const dueAt = store.clock() + pauseAfter(attempts);
  if (dueAt - createdAt > giveUpAfterMs) {
    await housekeep(store, (tx) => saveGivenUp(tx, id, error));
    log.error(facts, `mail given up; to see it, run: ${commandLine('outbox list')}`);
  } else {
    await housekeep(store, (tx) => saveFailure(tx, id, { error, dueAt }));
    log.warn(facts, 'mail not sent, will be tried again');
  }
}

/** One second, then twice as long each time up to an hour, give or take a fifth so that not all come back at once. */
function pauseAfter(attempts: number): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
  return Math.round(pause * (0.8 + 0.4 * Math.random()));
}
