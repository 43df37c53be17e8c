/**
 * How a change is made: one transaction by one actor, with an audit entry for each object it touches.
 *
 * A command is `write(context, (tx) => …In(tx, …))`. The inner function does the work; several of them can run in one
 * transaction, so none of them may rely on being alone in it.
 */

import { v7 as newId } from 'uuid';
import type { Actor } from '#domain/access.ts';
import type { ObjectType } from '#domain/changes.ts';
import type { Note } from '#domain/projects.ts';
import { insertChange, saveRepeat } from '#store/changes.ts';
import { type AccessLock, type DefinitionTag, type Reader, type Store, type Tx, Unchanged } from '#store/sql.ts';
import { type Grant, requireActor } from './actors.ts';

const inside = Symbol('inside');

interface Asking {
  /** As it was when the request came in. A command asks `tx.actor`. */
  readonly actor: Actor;
  readonly transactionId: string;
  /** Asked for again in the transaction; absent for those who need no permission. */
  readonly grant?: Grant | undefined;
}

/** Who asks, and in which request. For `write` alone, so a handler cannot write but by a command. */
export interface Context {
  readonly [inside]: Asking & { readonly store: Store };
}

export const contextFor = (store: Store, asking: Asking): Context => ({ [inside]: { ...asking, store } });

/** For what a command must know or compute before its transaction: hashing a password must not hold up other writers. */
export const readerOf = (context: Context): Reader => context[inside].store;

export interface Entry {
  /** The object's type and the user's verb in the past tense: `flag.created`. */
  readonly action: `${string}.${string}`;
  readonly object: { readonly type: ObjectType; readonly id: string; readonly name: string };
  readonly project?: { readonly id: string } | undefined;
  readonly environment?: { readonly id: string };
  /** Absent when the object came into being. */
  readonly before?: unknown;
  /** Absent when the object is gone. */
  readonly after?: unknown;
  readonly note?: Note;
  /** The new time of the thing. A transaction that waited for another has an earlier instant, but comes after it. */
  readonly notBefore?: number;
  /**
   * Which cached answers end with this change: those about one definition, where it changes nothing else; or none, where
   * it changes nothing that a key can read but the audit log. Absent: all.
   */
  readonly touches?: DefinitionTag | 'nothing';
  /** Who acted, where that comes out only in the transaction: the person who just signed in. */
  readonly actor?: Pick<Actor, 'type' | 'id' | 'name'>;
}

export interface RecordingTx extends Tx {
  /** Who acts, with the permissions and the scope of this moment. */
  readonly actor: Actor;
  readonly access: AccessLock;
  /** Writes an audit entry for one object. A transaction has at least one entry, or says that nothing changed. */
  record(entry: Entry): Promise<void>;
  /**
   * Says that there was nothing to change, and returns what is stored. A transaction that records nothing else is rolled
   * back; beside other changes, this one simply leaves no trace in the audit log.
   */
  unchanged<Stored>(stored: Stored): Stored;
}

/** What may end somebody's access asks for this one, so that it does not compile in a transaction of `write`. */
export interface AloneTx extends RecordingTx {
  readonly access: 'ends';
}

/**
 * Opens the transaction of a command. If nothing changed, it is rolled back and leaves no trace: no number is taken,
 * nothing is announced, no cached answer ends. A command that neither records anything nor calls `unchanged` is a bug:
 * it is rolled back too, and fails.
 */
export const write = <Result>(context: Context, body: (tx: RecordingTx) => Promise<Result>): Promise<Result> =>
  writeWith('uses', context, body);

/**
 * The same for a command that may end somebody's access: a key, a session, a membership or what a project lets in.
 * It runs alone among commands, so that no request that was let in before is committed after it.
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
    /** What each entry says that it touches. */
    const tags: Entry['touches'][] = [];
    let isNoOp = false;
    const result = await body({
      actor: acting,
      access,
      now: tx.now,
      clock: () => tx.now,
      lock: tx.lock,
      keep: tx.keep,
      skipLocked: tx.skipLocked,
      one: (query) => tx.one(query),
      all: (query) => tx.all(query),
      run: (query) => tx.run(query),
      announce: (notice) => tx.announce(notice),
      unchanged: (stored) => {
        isNoOp = true;
        return stored;
      },
      record: async ({
        action,
        object,
        project,
        environment,
        before,
        after,
        note,
        notBefore = 0,
        touches,
        actor = acting,
      }) => {
        tags.push(touches);
        // Whoever needs no key to ask could fill the log.
        if (actor.type === 'anonymous' && (await saveRepeat(tx, { action, object, actor }))) return;
        await insertChange(tx, {
          id: newId(),
          at: Math.max(tx.now, notBefore),
          transactionId,
          actor,
          action,
          object,
          projectId: project?.id,
          environmentId: environment?.id,
          title: note?.title,
          comment: note?.comment,
          before,
          after,
        });
      },
    });
    if (tags.length === 0) {
      if (isNoOp) throw new Unchanged(result);
      throw new Error('a command changed something without recording it');
    }
    // One that does not say what it touches may touch everything, whatever the others say.
    if (!tags.includes(undefined)) for (const tag of tags) if (tag) tx.touches(tag);
    return result;
  }, access);
}
