/** How a change comes about: one transaction, one audit entry, by one actor. */

import { v7 as newId } from 'uuid';
import type { Actor } from '#domain/access.ts';
import type { ObjectType } from '#domain/changes.ts';
import type { Note } from '#domain/projects.ts';
import { insertChange } from '#store/changes.ts';
import type { Store, Tx } from '#store/sql.ts';

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
}

export interface RecordingTx extends Tx {
  /** Writes the audit entry. Exactly one in a transaction. */
  record(entry: Entry): Promise<void>;
}

/** Opens the transaction of a command. One that wrote and did not record exactly once is a mistake of ours: rolled back. */
export function write<Result>(context: Context, body: (tx: RecordingTx) => Promise<Result>): Promise<Result> {
  const { store, transactionId } = context[inside];
  return store.write(async (tx) => {
    let written = 0;
    let recorded = 0;
    const result = await body({
      now: tx.now,
      lock: tx.lock,
      one: (query) => tx.one(query),
      all: (query) => tx.all(query),
      run: (query) => {
        written += 1;
        return tx.run(query);
      },
      announce: (notice) => tx.announce(notice),
      record: async ({ action, object, project, environment, before, after, note }) => {
        recorded += 1;
        await insertChange(tx, {
          id: newId(),
          transactionId,
          actor: context.actor,
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
    if (recorded !== 1) throw new Error(`a command wrote ${written} times and recorded ${recorded} times`);
    return result;
  });
}
