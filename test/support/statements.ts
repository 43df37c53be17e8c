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
