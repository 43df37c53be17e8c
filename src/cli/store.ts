/** What commands share: opening and closing the database, and the acting operator. */
import { userInfo } from 'node:os';
import { type Context, contextFor } from '#commands/context.ts';
import { transactionIds } from '#commands/transaction-ids.ts';
import { type Actor, permissionsOf } from '#domain/access.ts';
import { OperatorError } from '#domain/operator.ts';
import { findAccount } from '#store/account.ts';
import { isMissingFile, openStore } from '#store/open.ts';
import type { Store } from '#store/sql.ts';
import { localUrl, readConfig } from '../config.ts';

export interface Session {
  readonly store: Store;
  readonly context: Context;
}

/** Works while the server runs, because both databases allow several processes. */
export async function withStore(body: (session: Session) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  if (isMissingFile(config.databaseUrl)) {
    throw new OperatorError(`There is no database at ${config.databaseUrl}; start the server once to create it`);
  }
  const store = await openStore(config);
  try {
    if (!(await findAccount(store)))
      throw new OperatorError('The database is empty; start the server once to set it up');
    await body({ store, context: contextFor(store, { actor: operator(), transactionId: transactionIds()() }) });
  } finally {
    await store.close();
  }
}

/** The server's public URL, as its settings say. Prints a note if it is a guess. */
export function publicUrlOf(): string {
  const { publicUrl, host, port } = readConfig(process.env);
  if (publicUrl !== undefined) return publicUrl;
  const url = localUrl(host, port);
  process.stderr.write(`PUBLIC_URL is not set: links assume that the server listens at ${url}\n`);
  return url;
}

/** Anyone who can run commands here has full access to the database anyway. */
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
