/**
 * Applies changesets when their time has come. Every node looks; a step that another node has applied is left alone.
 * What came due while no node ran is applied at the start.
 */
import type { Logger } from 'pino';
import { instantOf } from '#domain/calendar.ts';
import { Problem } from '#domain/problems.ts';
import type { Received } from '#store/notices.ts';
import { type DueStep, listNextSteps, listTimedSteps, moveTimedStep } from '#store/schedules.ts';
import { housekeep, type Store } from '#store/sql.ts';

/** Clocks are set, and another process may have scheduled something without a notice reaching us. */
const longestSleepMs = 30_000;
const afterErrorMs = 5_000;
const atOnce = 20;

export interface ScheduleOptions {
  readonly store: Store;
  readonly log: Logger;
  /** Applies one, unless that has been done. Rejects with a `Problem` if it is refused. */
  readonly apply: (due: DueStep) => Promise<void>;
  /** Ends one that was refused. */
  readonly fail: (due: DueStep, refusal: Problem) => Promise<void>;
}

export interface ScheduleWorker {
  /** Applies nothing more; resolves when the step in progress is settled. */
  stop(): Promise<void>;
}

export function startSchedules(options: ScheduleOptions): ScheduleWorker {
  const { store, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout | undefined;
  let isQueued = false;
  const sleep = (sleepMs: number) => {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(wake, Math.min(sleepMs, longestSleepMs)).unref();
  };
  const failed = (error: unknown) => {
    log.error({ err: error }, 'applying scheduled changesets failed');
    sleep(afterErrorMs);
  };
  let running = resolveAgain(options).catch(failed);
  const wake = () => {
    if (signal.aborted || isQueued) return;
    clearTimeout(timer);
    isQueued = true;
    const run = async () => {
      isQueued = false;
      return applyDue(options, signal);
    };
    running = running.then(run).then(sleep, failed);
  };
  store.onCommit({
    onNotice: (notice) => {
      if (mayBringForward(notice)) wake();
    },
    failed,
  });
  wake();
  return {
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** Several objects are announced without their names. */
const mayBringForward = (notice: Received): boolean =>
  notice.kind === 'missed' || (notice.kind === 'recorded' && (!notice.object || notice.object.type === 'changeset'));

/** Resolves to the time until the next step is due. */
async function applyDue(options: ScheduleOptions, signal: AbortSignal): Promise<number> {
  const { store, log } = options;
  const next = await listNextSteps(store, atOnce);
  const isDue = ({ dueAt }: DueStep) => dueAt <= store.clock();
  let isTrouble = false;
  for (const due of next.filter(isDue)) {
    if (signal.aborted) return longestSleepMs;
    try {
      await settle(options, due);
    } catch (error) {
      isTrouble = true;
      log.error({ err: error, changesetId: due.changesetId }, 'a scheduled changeset could not be applied');
    }
  }
  if (isTrouble) return afterErrorMs;
  const [first] = next;
  if (!first) return longestSleepMs;
  // A step that was applied may have brought another one.
  return isDue(first) ? 0 : first.dueAt - store.clock();
}

/** Trouble of the database or a fault of ours is no reason to end it: it is tried again. */
async function settle({ apply, fail, log }: ScheduleOptions, due: DueStep): Promise<void> {
  const { changesetId } = due;
  try {
    await apply(due);
  } catch (refusal) {
    if (!(refusal instanceof Problem) || refusal.kind === 'unavailable' || refusal.kind === 'internal') throw refusal;
    await fail(due, refusal);
    log.warn({ changesetId, problem: refusal.code }, 'a scheduled changeset failed');
  }
}

/**
 * A release of Node may bring new rules for time zones. People mean the time on their clocks, so the instants follow.
 */
async function resolveAgain({ store, log }: ScheduleOptions): Promise<void> {
  let after = '';
  for (;;) {
    const steps = await listTimedSteps(store, after, atOnce);
    for (const step of steps) {
      const instant = instantOf(step.time, step.zone);
      if (typeof instant !== 'number' || instant === step.dueAt) continue;
      await housekeep(store, (tx) => moveTimedStep(tx, step, instant));
      log.info({ changesetId: step.changesetId }, 'a scheduled changeset was moved: its time zone has new rules');
    }
    const last = steps.at(-1);
    if (!last) return;
    after = last.changesetId;
  }
}
