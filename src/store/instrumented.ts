/** A store that tells how its work goes: each read by itself, each transaction as a whole. */
import type { Sql } from 'sql-template-tag';
import type { Reader, Store } from './sql.ts';

export type DatabaseWork = 'read' | 'write';

/** Called before the work; what it answers is called after it, with the error when it failed. */
export type WatchDatabase = (work: DatabaseWork, query?: Sql) => (error?: unknown) => void;

export function instrumented(store: Store, watch: WatchDatabase): Store {
  const timed = async <Result>(end: (error?: unknown) => void, result: Promise<Result>): Promise<Result> => {
    try {
      const answer = await result;
      end();
      return answer;
    } catch (error) {
      end(error);
      throw error;
    }
  };
  const reader: Reader = {
    clock: () => store.clock(),
    one: (query) => timed(watch('read', query), store.one(query)),
    all: (query) => timed(watch('read', query), store.all(query)),
  };
  return {
    ...reader,
    // The time in the queue of writers, and that of further tries, is part of it: the client waits for it, too.
    write: (body, access) => timed(watch('write'), store.write(body, access)),
    changeSchema: (body) => store.changeSchema(body),
    version: (tag) => store.version(tag),
    onCommit: (listener) => store.onCommit(listener),
    close: () => store.close(),
  };
}
