/** What commands of the command line share: the database, opened and closed, and who acts. */
import { userInfo } from 'node:os';
import { type Context, contextFor } from '#commands/context.ts';
import { type Actor, permissionsOf } from '#domain/access.ts';
import { transactionIds } from '#http/transaction-ids.ts';
import { type Account, findAccount } from '#store/account.ts';
import { openStore } from '#store/open.ts';
import type { Store } from '#store/sql.ts';
import { readConfig } from '../config.ts';

export interface Session {
  readonly store: Store;
  readonly account: Account;
  readonly context: Context;
}

/** Works while the server runs: SQLite lets several processes in. */
export async function withStore(body: (session: Session) => Promise<void>): Promise<void> {
  const store = await openStore(readConfig(process.env).databaseUrl);
  try {
    const account = await findAccount(store);
    if (!account) throw new Error('The database is empty; start the server once with npm start');
    await body({ store, account, context: contextFor(store, operator(), transactionIds()()) });
  } finally {
    await store.close();
  }
}

/** Who can run commands beside the database may do everything with it anyway. */
function operator(): Actor {
  const { username } = userInfo();
  return {
    type: 'operator',
    id: username,
    name: username,
    permissions: permissionsOf(['API_ALL_GRANTED']),
    scope: { kind: 'account' },
  };
}
