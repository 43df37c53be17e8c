/**
 * The open pages of signed-in people (server-sent events), and what they are told: that something changed, or that
 * someone is editing. Pages then ask for what they show; nothing here replaces a read.
 *
 * Invariants
 * 1. Pages are told of commits only, one after the other, on whichever node they were made.
 * 2. A page hears only of what its person may read at that moment. What is known of their access is forgotten with every
 *    change that can affect access, and the database is asked again before anything else is told.
 * 3. A stream ends with its session, as soon as a notice says that the user changed.
 * 4. If access cannot be read, nothing is told: all streams end, and pages that connect again ask for everything.
 * 5. Nothing is buffered for a slow reader: its stream ends.
 */
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { actorOfPerson } from '#commands/actors.ts';
import type { Scope } from '#domain/access.ts';
import type { ObjectType } from '#domain/changes.ts';
import { Problem } from '#domain/problems.ts';
import { encodeNotice, type Listener, type Received, type Recorded } from '#store/notices.ts';
import { reaches } from '#store/scope-filter.ts';
import { findSignedInById, type SignedIn } from '#store/sessions.ts';
import type { CacheVersions, Reader } from '#store/sql.ts';
import { createEditors } from './editors.ts';

export interface LiveStreams {
  /** Writes to the response, whose head was sent, until it ends. Refuses with `unavailable` if there are too many. */
  open(person: SignedIn, response: ServerResponse): void;
  /** Refuses with `unavailable` if a further stream cannot be opened now. */
  requireRoom(): void;
  /** Ends all streams. */
  end(): void;
}

export interface LiveStreamsOptions {
  readonly store: Reader & CacheVersions & { onCommit(listener: Listener): void };
  readonly log: Logger;
}

/** A browser needs one, for all its tabs. Beyond this, a person's oldest stream ends. */
const maxPerPerson = 20;
const maxStreams = 5_000;
/** Our example for nginx closes connections after 15 seconds without data. */
const keepaliveMs = 10_000;
const recheckMs = 60_000;
/** What may wait in memory for one reader, in bytes, besides what the kernel takes. */
const maxBehind = 256_000;
/** More notices than this are replaced by one that says to read everything. */
const maxQueued = 1_000;
/** PostgreSQL repeats notices of this node; this many are remembered. */
const maxRemembered = 1_000;
/** Pages load before their stream is open, so a new stream starts with the changes of this time. */
const replayedMs = 5_000;
const maxReplayed = 100;
/** How often commits of other processes are looked for on SQLite. */
const otherProcessesMs = 1_000;
const writesATurn = 100;

/** Changes to these can change what people may see. Without an object, anything may have changed. */
const decidesAccess: ReadonlySet<ObjectType | undefined> = new Set([
  'user',
  'group',
  'restriction',
  'workspace',
  'account',
  undefined,
]);

interface Stream {
  readonly response: ServerResponse;
  readonly sessionId: string;
  readonly userId: string;
  scope: Scope;
}

export function createLiveStreams({ store, log }: LiveStreamsOptions): LiveStreams {
  const streams = new Set<Stream>();
  const editors = createEditors(() => store.clock());
  /** Whether a person reaches a project, by their id and the project's. */
  const known = new Map<string, boolean>();
  const knownNotices = new Set<string>();
  let recent: { readonly change: Recorded; readonly at: number }[] = [];
  /** One after the other, so that what is known of access is never older than the last change to it. */
  let queue: (() => Promise<void>)[] = [];
  let isTelling = false;
  let isEnding = false;

  const write = ({ response }: Stream, text: string): void => {
    if (response.destroyed) return;
    if (response.writableLength > maxBehind) response.destroy();
    else response.write(text);
  };
  const sees = async ({ scope, userId }: Stream, projectId: string): Promise<boolean> => {
    if (scope.kind === 'account') return true;
    const name = `${userId} ${projectId}`;
    const found = known.get(name) ?? (await reaches(store, scope, projectId));
    known.set(name, found);
    return found;
  };
  const send = async (text: string, concerns: (stream: Stream) => boolean | Promise<boolean>): Promise<void> => {
    let sent = 0;
    for (const stream of streams) {
      if (await concerns(stream)) write(stream, text);
      sent += 1;
      if (sent % writesATurn === 0) await nextTurn();
    }
  };
  /** Ends those whose session ended, and learns whether the others' people are administrators now. */
  const recheck = async (userId: string | undefined): Promise<void> => {
    const people = new Map<string, SignedIn | undefined>();
    for (const stream of streams) {
      const { sessionId } = stream;
      if (userId !== undefined && stream.userId !== userId) continue;
      if (!people.has(sessionId)) people.set(sessionId, await findSignedInById(store, sessionId));
      const person = people.get(sessionId);
      if (person && !person.lacksSecondFactor) stream.scope = actorOfPerson(person).scope;
      else stream.response.end();
    }
  };

  /** Changes outside of projects are about people, groups and keys: administrators manage them. */
  const mayHear = (stream: Stream, { projectId }: Recorded): boolean | Promise<boolean> =>
    projectId === undefined ? stream.scope.kind === 'account' : sees(stream, projectId);

  const tellRecorded = async (change: Recorded): Promise<void> => {
    const { object } = change;
    const userId = object?.type === 'user' ? object.id : undefined;
    const changesAccess = decidesAccess.has(object?.type);
    if (changesAccess) {
      known.clear();
      await recheck(userId);
    }
    await send(changeEvent(change), (stream) => mayHear(stream, change));
    if (changesAccess) await send(eventOf('access', {}), (stream) => !userId || stream.userId === userId);
  };
  const tellMissed = async (): Promise<void> => {
    known.clear();
    await recheck(undefined);
    await send(eventOf('access', {}), () => true);
  };
  /** The session may have ended between the request and now. */
  const greet = async (stream: Stream): Promise<void> => {
    await recheck(stream.userId);
    for (const { change, at } of recent) {
      if (at > store.clock() - replayedMs && (await mayHear(stream, change))) write(stream, changeEvent(change));
    }
    for (const editing of editors.all()) {
      if (await sees(stream, editing.project)) write(stream, eventOf('editing', editing));
    }
  };
  const work = async (): Promise<void> => {
    isTelling = true;
    for (let next = queue.shift(); next; next = queue.shift()) {
      try {
        await next();
        // Node writes to sockets between turns: after a burst without them, every reader would seem slow.
        await nextTurn();
      } catch (error) {
        log.warn({ err: error }, 'notifying open pages of changes failed; their streams are closed');
        known.clear();
        for (const { response } of streams) response.end();
      }
    }
    isTelling = false;
  };
  const enqueue = (task: () => Promise<void>): void => {
    if (streams.size === 0) return;
    if (queue.length >= maxQueued) queue = [tellMissed];
    else queue.push(task);
    if (!isTelling) void work();
  };
  const onNotice = (received: Received): void => {
    if (received.kind === 'missed') enqueue(tellMissed);
    if (received.kind === 'editing') {
      const event = editors.note(received);
      enqueue(() => send(eventOf('editing', event), (stream) => sees(stream, event.project)));
    }
    if (received.kind === 'recorded' && !isRepeated(knownNotices, encodeNotice(received))) {
      recent = [...recent.slice(1 - maxReplayed), { change: received, at: store.clock() }];
      enqueue(() => tellRecorded(received));
    }
  };

  store.onCommit({ onNotice, failed: (error) => log.error({ err: error }, 'handling a notice for pages failed') });
  const timers = [
    setInterval(() => void store.version(), otherProcessesMs).unref(),
    setInterval(() => {
      for (const stream of streams) write(stream, eventOf('alive', {}));
    }, keepaliveMs).unref(),
    // Sessions also expire without a commit.
    setInterval(() => enqueue(() => recheck(undefined)), recheckMs).unref(),
  ];

  const requireRoom = (): void => {
    if (isEnding || streams.size >= maxStreams) throw new Problem('unavailable', { seconds: 10 });
  };
  return {
    requireRoom,
    open: (person, response) => {
      const { session, user } = person;
      const stream: Stream = {
        response,
        sessionId: session.id,
        userId: user.id,
        scope: actorOfPerson(person).scope,
      };
      const own = [...streams].filter(({ userId }) => userId === user.id);
      if (own.length >= maxPerPerson) own[0]?.response.end();
      streams.add(stream);
      // A page that goes away while something is written to it is no error.
      response.on('error', () => undefined).on('close', () => streams.delete(stream));
      write(stream, eventOf('alive', {}));
      enqueue(() => greet(stream));
    },
    end: () => {
      isEnding = true;
      for (const timer of timers) clearInterval(timer);
      for (const { response } of streams) response.end();
    },
  };
}

const changeEvent = ({ object, projectId, environmentId }: Recorded): string =>
  eventOf('change', { ...object, project: projectId, environment: environmentId });

const eventOf = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** Whether the text is in the set; remembers it, and forgets the oldest. */
function isRepeated(known: Set<string>, text: string): boolean {
  if (known.has(text)) return true;
  known.add(text);
  const [oldest] = known;
  if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest);
  return false;
}
