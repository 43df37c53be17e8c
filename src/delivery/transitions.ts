/**
 * Counts who gets another treatment, for plans of changesets: over made-up keys, and over those that were seen lately. In
 * a thread with a deadline, one plan at a time: plans wait for it, requests of SDKs do not.
 */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { turnstile } from '#concurrency/turnstile.ts';
import { segmentsIn } from '#domain/definitions/conditions.ts';
import { segmentsOf } from '#domain/definitions/definition.ts';
import { maxSegments } from '#domain/definitions/references.ts';
import type { Evaluable, Subject } from '#domain/evaluation/evaluate.ts';
import type { Change, Transitions } from '#domain/evaluation/transitions.ts';
import { Problem } from '#domain/problems.ts';
import { toRulesText } from '#domain/rule-based-segments.ts';
import type { Snapshot } from './snapshot.ts';
import type { Counting, Seen } from './transitions-worker.ts';

/** A change of one flag in one environment. */
export interface CountedChange extends Change {
  /** The flags that its rules depend on, directly or not. */
  readonly others: readonly Evaluable[];
  /** Keys that were seen there, and attributes where they are known. */
  readonly subjects: readonly Subject[];
  /** Of the environment; undefined if it is not delivered. */
  readonly snapshot: Snapshot | undefined;
}

/** Of all changes of a plan together. */
const sampleKeys = 100_000;
const leastKeys = 1_000;
/** For the keys of one kind, of one change: what is not counted then is left out. */
const countMs = 700;
/** For all of a plan. Only a regular expression, or a machine without time, takes so long. */
const planMs = 8_000;
const turns = turnstile(1, {
  maxWaiting: 20,
  maxWaitMs: 4_000,
  refusal: () => new Problem('unavailable', { seconds: 1 }),
});

/** In the order of the changes. Undefined: not counted in time. */
export async function countTransitions(
  changes: readonly CountedChange[],
): Promise<readonly (Transitions[] | undefined)[]> {
  try {
    return changes.length === 0 ? [] : await turns.pass(() => countAll(changes));
  } catch (error) {
    if (error instanceof Problem) return changes.map(() => undefined);
    throw error;
  }
}

async function countAll(changes: readonly CountedChange[]): Promise<(Transitions[] | undefined)[]> {
  const share = Math.max(leastKeys, Math.floor(sampleKeys / changes.length));
  const end = performance.now() + planMs;
  const counted: (Transitions[] | undefined)[] = [];
  for (const change of changes) counted.push(await countOne(change, share, end));
  return counted;
}

async function countOne(change: CountedChange, share: number, end: number): Promise<Transitions[] | undefined> {
  const worker = takeWorker();
  let found: Transitions[] | undefined;
  try {
    const counting = await send(worker, change, share);
    const left = end - performance.now();
    if (left > 0) found = await answerTo(worker, counting, left);
    return found;
  } finally {
    if (found) keepWorker(worker);
    else await worker.terminate();
  }
}

/** Waits for the next change: its start takes longer than most counts. */
let idleWorker: Worker | undefined;
let idleTimer: NodeJS.Timeout | undefined;
const maxIdleMs = 60_000;
/** A definition has up to some megabytes of text. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };

function takeWorker(): Worker {
  clearTimeout(idleTimer);
  const worker = idleWorker ?? new Worker(new URL('transitions-worker.ts', import.meta.url), { resourceLimits });
  idleWorker = undefined;
  worker.ref();
  return worker;
}

function keepWorker(worker: Worker): void {
  idleWorker = worker;
  worker.unref();
  idleTimer = setTimeout(() => {
    idleWorker = undefined;
    void worker.terminate();
  }, maxIdleMs).unref();
}

/** Undefined if it takes too long, or too much memory. */
async function answerTo(worker: Worker, counting: Counting, ms: number): Promise<Transitions[] | undefined> {
  worker.postMessage(counting);
  try {
    const [found] = (await once(worker, 'message', { signal: AbortSignal.timeout(Math.ceil(ms)) })) as [Transitions[]];
    return found;
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    if (name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY') return undefined;
    throw error;
  }
}

/** Sends the keys that were seen. Returns what to count over them. */
async function send(worker: Worker, change: CountedChange, share: number): Promise<Counting> {
  const { before, after, areSeedsKnown, others, subjects, snapshot } = change;
  const named = namesIn(
    [before, after, ...others].flatMap((side) => (side ? segmentsOf(side) : [])),
    snapshot,
  );
  for await (const some of seenIn(subjects, named.listing, snapshot)) worker.postMessage(some);
  const text = (side: Evaluable | undefined) => side && JSON.stringify(side);
  return {
    areSeedsKnown,
    before: text(before),
    after: text(after),
    others: others.map((flag) => JSON.stringify(flag)),
    segmentRules: named.rules,
    sampleKeys: share,
    milliseconds: countMs,
  };
}

/** Also those that rule-based segments name. */
function namesIn(names: readonly string[], snapshot: Snapshot | undefined) {
  const found = new Set(names);
  const rules: [string, string][] = [];
  for (const name of found) {
    const own = snapshot?.segmentRulesOf(name);
    if (!own || rules.length >= maxSegments) continue;
    rules.push([name, toRulesText(own)]);
    for (const other of [...segmentsIn(own.rules), ...own.excludedSegments.map((one) => one.name)]) found.add(other);
  }
  return { rules, listing: [...found].filter((name) => !snapshot?.segmentRulesOf(name)).slice(0, maxSegments) };
}

/** Lookups until others get their turn: less than a millisecond. */
const perTurn = 500;

async function* seenIn(
  subjects: readonly Subject[],
  segments: readonly string[],
  snapshot: Snapshot | undefined,
): AsyncGenerator<Seen[]> {
  const size = Math.max(1, Math.floor(perTurn / (1 + segments.length)));
  for (let start = 0; start < subjects.length; start += size) {
    yield subjects.slice(start, start + size).map((subject) => ({
      ...subject,
      segments: segments.filter((name) => snapshot?.listsKey(name, subject.key) ?? false),
    }));
    await nextTurn();
  }
}
