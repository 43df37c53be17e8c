/** A store that reports the duration of each read and each transaction. */
import type { Sql } from 'sql-template-tag';
import type { Reader, Store } from './sql.ts';

export type DatabaseWork = 'read' | 'write';

/** Called before the work. The function that it returns is called after it, with the error if it failed. */
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
    rowsPerTurn: store.rowsPerTurn,
    one: (query) => timed(watch('read', query), store.one(query)),
    all: (query) => timed(watch('read', query), store.all(query)),
  };
  return {
    ...reader,
    // Includes time in the write queue and retries, because the client waits for them too.
    write: (body, access) => timed(watch('write'), store.write(body, access)),
    changeSchema: (body) => store.changeSchema(body),
    version: (tag) => store.version(tag),
    onCommit: (listener) => store.onCommit(listener),
    afterWrites: () => store.afterWrites(),
    close: () => store.close(),
  };
}
