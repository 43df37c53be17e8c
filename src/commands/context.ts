/** How a change comes about: one transaction, one audit entry, by one actor. */

import { v7 as newId } from 'uuid';
import type { Actor } from '#domain/access.ts';
import type { ObjectType } from '#domain/changes.ts';
import { Problem } from '#domain/problems.ts';
import type { Note } from '#domain/projects.ts';
import { isApiKey } from '#store/api-keys.ts';
import { insertChange } from '#store/changes.ts';
import { definitionSubject, type Reader, type Store, type Tx } from '#store/sql.ts';
import { isActiveUser } from '#store/users.ts';

const inside = Symbol('inside');

/** Who asks, and in which request. What is inside is for `write` alone, so a handler cannot write but by a command. */
export interface Context {
  readonly actor: Actor;
  readonly [inside]: { readonly store: Store; readonly transactionId: string };
}

export const contextFor = (store: Store, actor: Actor, transactionId: string): Context => ({
  actor,
  [inside]: { store, transactionId },
});

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
  /** Who acted, where that comes out only in the transaction: the person who just signed in. */
  readonly actor?: Pick<Actor, 'type' | 'id' | 'name'>;
}

/** A key may be revoked, and a person deactivated, while the body of a request is on its way or waits for its turn. */
async function requireStillThere(tx: Tx, { type, id }: Actor): Promise<void> {
  if (type === 'api_key' && !(await isApiKey(tx, id))) throw new Problem('unauthenticated');
  if (type === 'user' && !(await isActiveUser(tx, id))) throw new Problem('unauthenticated');
}

export interface RecordingTx extends Tx {
  /** Writes the audit entry. Exactly one in a transaction. */
  record(entry: Entry): Promise<void>;
}

/** Opens the transaction of a command. One that wrote and did not record exactly once is a mistake of ours: rolled back. */
export function write<Result>(context: Context, body: (tx: RecordingTx) => Promise<Result>): Promise<Result> {
  const { store, transactionId } = context[inside];
  return store.write(async (tx) => {
    await requireStillThere(tx, context.actor);
    let recorded = 0;
    const result = await body({
      now: tx.now,
      clock: () => tx.now,
      lock: tx.lock,
      lockFree: tx.lockFree,
      one: (query) => tx.one(query),
      all: (query) => tx.all(query),
      run: (query) => tx.run(query),
      announce: (notice) => tx.announce(notice),
      changesOnly: (subject) => tx.changesOnly(subject),
      record: async ({
        action,
        object,
        project,
        environment,
        before,
        after,
        note,
        notBefore = 0,
        actor = context.actor,
      }) => {
        recorded += 1;
        if (object.type === 'definition' && environment) tx.changesOnly(definitionSubject(environment.id, object.id));
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
    if (recorded !== 1) throw new Error(`a command recorded ${recorded} times, not once`);
    return result;
  });
}
