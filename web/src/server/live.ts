/**
 * What the server announces to this browser while it is open: changes by others, and who is editing.
 *
 * All tabs of a browser share one stream, because browsers open only six connections to a server: the tab that holds a
 * lock opens it and passes everything on. Locks need HTTPS or localhost; without them each tab has a stream of its own
 * while it is visible.
 */
import type { Query } from '@tanstack/react-query';
import { accountPrefix } from '#contract/parts.ts';
import { noticesOf } from '../state/notices.ts';
import { isLive } from './connection.ts';
import { type Change, concerns } from './live-changes.ts';
import { client } from './query-client.ts';
import { updateSession } from './session.ts';

export interface Editing {
  readonly project: string;
  readonly environment: string;
  /** Its id. */
  readonly flag: string;
  readonly person: { readonly id: string; readonly name: string };
  readonly forMs: number;
}

type LiveEvent =
  | { readonly event: 'change'; readonly data: Change }
  | { readonly event: 'editing'; readonly data: Editing }
  | { readonly event: 'access' | 'connected' | 'lost' | 'hello' };

const editors = noticesOf<readonly Editing[]>([]);

/** People with unsaved changes to the flag. */
export const useEditors = (flag: string): readonly Editing[] => editors.use().filter((one) => one.flag === flag);

const name = 'burgee live';
/** The server sends something every 10 seconds. */
const silenceMs = 30_000;
const [firstPauseMs, longestPauseMs] = [1_000, 30_000];

/** Until the returned function is called. */
export function startLive(): () => void {
  const stopping = new AbortController();
  const channel = new BroadcastChannel(name);
  let leader: Leader | undefined;
  const publish = (message: LiveEvent) => {
    channel.postMessage(message);
    receive(message);
  };
  channel.onmessage = ({ data: message }: MessageEvent<LiveEvent>) => {
    if (message.event !== 'hello') return receive(message);
    if (!leader || !isLive.get()) return;
    channel.postMessage({ event: 'connected' } satisfies LiveEvent);
    for (const data of editors.get()) channel.postMessage({ event: 'editing', data } satisfies LiveEvent);
  };
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  const leadUntilStopped = () => {
    leader = lead(publish);
    return stopped;
  };
  if (navigator.locks) {
    navigator.locks.request(name, { signal: stopping.signal }, leadUntilStopped).catch(() => undefined);
    channel.postMessage({ event: 'hello' } satisfies LiveEvent);
  } else void followVisibility(stopping.signal, receive);
  return () => {
    leader?.stop();
    // The next leader connects in a moment; until then nobody is live.
    if (leader) channel.postMessage({ event: 'lost' } satisfies LiveEvent);
    stopping.abort();
    channel.close();
    receive({ event: 'lost' });
  };
}

interface Leader {
  stop(): void;
}

/** Keeps a stream open. */
function lead(publish: (message: LiveEvent) => void): Leader {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout>;
  let failures = 0;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(lost, silenceMs);
  };
  const lost = () => {
    source?.close();
    clearTimeout(timer);
    publish({ event: 'lost' });
    // If the session has ended, the page asks to sign in.
    void updateSession(client);
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
    failures += 1;
    timer = setTimeout(connect, pauseMs * (0.5 + Math.random()));
  };
  const connect = () => {
    source = new EventSource(`${accountPrefix}/live`);
    watch();
    let isOpen = false;
    source.addEventListener('alive', () => {
      watch();
      failures = 0;
      if (!isOpen) publish({ event: 'connected' });
      isOpen = true;
    });
    for (const event of ['change', 'editing'] as const) {
      source.addEventListener(event, ({ data }) => publish({ event, data: JSON.parse(data) }));
    }
    source.addEventListener('access', () => publish({ event: 'access' }));
    source.addEventListener('error', lost);
  };
  connect();
  return {
    stop: () => {
      clearTimeout(timer);
      source?.close();
    },
  };
}

/** Leads while the tab is visible. */
function followVisibility(signal: AbortSignal, publish: (message: LiveEvent) => void): void {
  let leader: Leader | undefined;
  const follow = () => {
    leader?.stop();
    leader = document.hidden ? undefined : lead(publish);
    if (document.hidden) publish({ event: 'lost' });
  };
  document.addEventListener('visibilitychange', follow, { signal });
  signal.addEventListener('abort', () => leader?.stop());
  follow();
}

/** Whether there was a stream before, so that changes may have been missed since. */
let wasLive = false;

function receive(message: LiveEvent): void {
  if (message.event === 'lost') {
    setLive(false);
    editors.set([]);
  } else if (message.event === 'connected') {
    if (wasLive && !isLive.get()) refetch('everything');
    wasLive = true;
    setLive(true);
  } else if (message.event === 'change') refetch(message.data);
  else if (message.event === 'access') refetch('everything');
  else if (message.event === 'editing') noteEditor(message.data);
}

function setLive(isNow: boolean): void {
  if (isLive.get() === isNow) return;
  isLive.set(isNow);
  // Changes nothing: queries choose their interval again, and what they have stays fresh.
  for (const query of client.getQueryCache().findAll({ type: 'active' })) query.setState({});
}

function noteEditor(editing: Editing): void {
  const isSame = (one: Editing) =>
    one.flag === editing.flag && one.environment === editing.environment && one.person.id === editing.person.id;
  const others = editors.get().filter((one) => !isSame(one));
  editors.set(editing.forMs > 0 ? [...others, editing] : others);
  if (editing.forMs > 0) {
    // Unless it was announced again.
    setTimeout(
      () => editors.get().includes(editing) && editors.set(editors.get().filter((one) => one !== editing)),
      editing.forMs,
    );
  }
}

/** PostgreSQL may announce a change twice, and a save is often several changes. */
const settleMs = 50;
/** However much changes, a page refetches at most this often. */
const leastPauseMs = 1_000;

let waiting: (Change | 'everything')[] = [];
let isScheduled = false;
let refetchedAt = 0;

function refetch(what: Change | 'everything'): void {
  // On return, the page refetches what it shows.
  if (document.hidden) return;
  waiting.push(what);
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(refetchWaiting, Math.max(settleMs, refetchedAt + leastPauseMs - Date.now()));
}

function refetchWaiting(): void {
  const changes = waiting;
  waiting = [];
  isScheduled = false;
  refetchedAt = Date.now();
  const filters = {
    predicate: ({ queryKey }: Pick<Query, 'queryKey'>) =>
      changes.some((change) => change === 'everything' || concerns(change, queryKey)),
  };
  const asking = client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' });
  void client.invalidateQueries(filters);
  for (const { state, promise, queryKey } of asking) {
    // Those that have nothing yet are not asked again while they are: their answer may be from before the change.
    if (state.data === undefined) void promise?.then(() => client.invalidateQueries({ queryKey, exact: true }), ignore);
  }
}

const ignore = (): void => undefined;
