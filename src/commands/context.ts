/**
 * A change is one transaction by one actor, with an audit entry for each object that it touches.
 *
 * A command is `write(context, (tx) => …In(tx, …))`. The inner function does the work. Several of them can run in one
 * transaction, so none may assume that it is the only one.
 */

import { v7 as newId } from 'uuid';
import type { Actor } from '#domain/access.ts';
import type { Change, ObjectType } from '#domain/changes.ts';
import type { Note } from '#domain/projects.ts';
import type { Recorded } from '#store/notices.ts';
import { insertChanges, type NewChange, saveRepeat } from '#store/recording.ts';
import {
  type AccessLock,
  type DefinitionTag,
  housekeep,
  type Reader,
  type Store,
  type Tx,
  Unchanged,
} from '#store/sql.ts';
import { insertNews } from '#store/watches.ts';
import { type Grant, requireActor } from './actors.ts';

const inside = Symbol('inside');

interface Asking {
  /** The actor when the request came in. Commands use `tx.actor`. */
  readonly actor: Actor;
  readonly transactionId: string;
  /** Checked again in the transaction; absent for callers who need no permission. */
  readonly grant?: Grant | undefined;
}

/** The actor and the request. Only `write` can open it, so handlers can write only through commands. */
export interface Context {
  readonly [inside]: Asking & { readonly store: Store };
}

export const contextFor = (store: Store, asking: Asking): Context => ({ [inside]: { ...asking, store } });

/** For reads and computations before the transaction: hashing a password must not block other writers. */
export const readerOf = (context: Context): Reader => context[inside].store;

/** For work before the change itself, on rows that nobody sees yet: it leaves no audit entry. */
export const prepare = <Result>(context: Context, body: (tx: Tx) => Promise<Result>): Promise<Result> =>
  housekeep(context[inside].store, body);

/** For what only the actor sees: it leaves no audit entry, and invalidates no cached response. */
export function writePrivately<Result>(
  context: Context,
  body: (tx: Tx, actor: Actor) => Promise<Result>,
): Promise<Result> {
  const { store, actor, grant } = context[inside];
  return store.write(async (tx) => {
    tx.touches('nothing');
    return body(tx, await requireActor(tx, actor, grant));
  }, 'uses');
}

/** The same request on behalf of somebody else, whose permission is checked in the transaction. */
export const onBehalfOf = (context: Context, actor: Actor, grant: Grant): Context => ({
  [inside]: { ...context[inside], actor, grant },
});

export interface Entry {
  /** The object's type and the user's verb in the past tense: `flag.created`. */
  readonly action: `${string}.${string}`;
  readonly object: { readonly type: ObjectType; readonly id: string; readonly name: string };
  readonly project?: { readonly id: string } | undefined;
  readonly environment?: { readonly id: string };
  /** Absent when the object was created. */
  readonly before?: unknown;
  /** Absent when the object was deleted. */
  readonly after?: unknown;
  readonly note?: Note;
  /** The changeset that the change is part of. */
  readonly changesetId?: string;
  /** Why it needs no approval where others do. */
  readonly withoutApproval?: Change['withoutApproval'];
  /** The object's new timestamp. A transaction that waited for another one started earlier but commits later. */
  readonly notBefore?: number;
  /**
   * Which cached responses this change invalidates: those about one definition, if it changes nothing else; none, if keys
   * can see it only in the audit log. Absent: all.
   */
  readonly touches?: DefinitionTag | 'nothing';
  /** The actor, if it becomes known only in the transaction: the person who just signed in. */
  readonly actor?: Pick<Actor, 'type' | 'id' | 'name'>;
}

export interface RecordingTx extends Tx {
  /** The actor, with its current permissions and scope. */
  readonly actor: Actor;
  readonly access: AccessLock;
  /** The changeset that is applied: its approvals have been checked. */
  readonly changesetId?: string;
  /** Writes an audit entry for each object. Every transaction writes at least one, or calls `unchanged`. */
  record(...entries: readonly Entry[]): Promise<void>;
  /**
   * Reports that there was nothing to change, and returns what is stored. If the transaction records nothing else, it
   * is rolled back; otherwise this part leaves no audit entry.
   */
  unchanged<Stored>(stored: Stored): Stored;
}

/** Commands that may end someone's access require this type, so they do not compile inside `write`. */
export interface AloneTx extends RecordingTx {
  readonly access: 'ends';
}

/**
 * Opens the transaction of a command. If nothing changed, it is rolled back without a trace: no change number, no
 * notice, no invalidated cache. A command that neither records anything nor calls `unchanged` is a bug; it is rolled
 * back and fails.
 */
export const write = <Result>(context: Context, body: (tx: RecordingTx) => Promise<Result>): Promise<Result> =>
  writeWith('uses', context, body);

/**
 * The same for commands that may end someone's access through a key, a session, a membership or a project restriction.
 * It runs alone among commands, so no request that was admitted earlier commits after it.
 */
export const writeAlone = <Result>(context: Context, body: (tx: AloneTx) => Promise<Result>): Promise<Result> =>
  writeWith('ends', context, body);

function writeWith<Result, Access extends AccessLock>(
  access: Access,
  context: Context,
  body: (tx: RecordingTx & { readonly access: Access }) => Promise<Result>,
): Promise<Result> {
  const { store, transactionId, actor: asking, grant } = context[inside];
  return store.write(async (tx) => {
    const acting = await requireActor(tx, asking, grant);
    /** The `touches` of each entry. */
    const tags: Entry['touches'][] = [];
    const recorded: Recorded[] = [];
    let isNoOp = false;
    const result = await body({
      actor: acting,
      access,
      now: tx.now,
      clock: () => tx.now,
      lock: tx.lock,
      keep: tx.keep,
      skipLocked: tx.skipLocked,
      rowsAtOnce: tx.rowsAtOnce,
      rowsPerTurn: tx.rowsPerTurn,
      one: (query) => tx.one(query),
      all: (query) => tx.all(query),
      run: (query) => tx.run(query),
      rowsOf: (values) => tx.rowsOf(values),
      isOneOf: (column, values) => tx.isOneOf(column, values),
      announce: (notice) => tx.announce(notice),
      unchanged: (stored) => {
        isNoOp = true;
        return stored;
      },
      record: async (...entries) => {
        const changes: NewChange[] = [];
        for (const { action, object, actor = acting, ...entry } of entries) {
          tags.push(entry.touches);
          // Anonymous callers could otherwise fill the log.
          if (actor.type === 'anonymous' && (await saveRepeat(tx, { action, object, actor }))) continue;
          const [projectId, environmentId] = [entry.project?.id, entry.environment?.id];
          recorded.push({ kind: 'recorded', transactionId, object, projectId, environmentId });
          changes.push({
            id: newId(),
            at: Math.max(tx.now, entry.notBefore ?? 0),
            transactionId,
            actor,
            action,
            object,
            projectId,
            environmentId,
            title: entry.note?.title,
            comment: entry.note?.comment,
            before: entry.before,
            after: entry.after,
            changesetId: entry.changesetId,
            withoutApproval: entry.withoutApproval,
          });
        }
        if (changes.length === 0) return;
        await insertChanges(tx, changes);
        await insertNews(tx, changes);
      },
    });
    if (tags.length === 0) {
      if (isNoOp) throw new Unchanged(result);
      throw new Error('a command changed something without recording it');
    }
    for (const notice of summed(recorded)) tx.announce(notice);
    // An entry without `touches` may affect everything, whatever the others say.
    if (!tags.includes(undefined)) for (const tag of tags) if (tag) tx.touches(tag);
    return result;
  }, access);
}

/** More objects are announced as one notice for each project: an import changes thousands. */
const maxNotices = 10;

function summed(recorded: readonly Recorded[]): readonly Recorded[] {
  const [first] = recorded;
  if (!first || recorded.length <= maxNotices) return recorded;
  const { kind, transactionId } = first;
  const projects = new Set(recorded.map(({ projectId }) => projectId));
  return [...projects].map((projectId) => ({ kind, transactionId, projectId }));
}
