import type { Sql } from 'sql-template-tag';
import type { Store } from '#store/sql.ts';

/** The reads outside transactions that `body` causes. */
export async function statementsOf(store: Store, body: () => Promise<unknown>): Promise<string[]> {
  const read: string[] = [];
  const { one, all } = store;
  store.one = (query) => {
    read.push(query.sql);
    return one.call(store, query) as never;
  };
  store.all = (query) => {
    read.push(query.sql);
    return all.call(store, query) as never;
  };
  try {
    await body();
  } finally {
    Object.assign(store, { one, all });
  }
  return read;
}

/** The statements in transactions that `body` causes, each once. */
export async function transactionStatementsOf(store: Store, body: () => Promise<unknown>): Promise<string[]> {
  const ran = new Set<string>();
  const { write } = store;
  store.write = (change, access) =>
    write.call(
      store,
      (tx) => {
        for (const name of ['one', 'all', 'run'] as const) {
          const method = tx[name].bind(tx);
          tx[name] = (query: Sql) => {
            ran.add(query.sql);
            return method(query) as never;
          };
        }
        return change(tx);
      },
      access,
    ) as never;
  try {
    await body();
  } finally {
    store.write = write;
  }
  return [...ran];
}
