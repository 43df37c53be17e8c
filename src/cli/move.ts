/** Copies everything from one database into another, empty one, then compares them. Shows progress. */

import { OperatorError } from '#domain/operator.ts';
import {
  copyTable,
  countRows,
  emptyTables,
  findUsedTable,
  markCopy,
  sumOf,
  tables,
  unmarkCopy,
} from '#operations/copy.ts';
import { findUnfinishedCopy } from '#store/migrate.ts';
import { type Database, openUnfinished, withoutPassword } from '#store/open.ts';
import type { Store } from '#store/sql.ts';
import { showProgress } from './progress.ts';

export interface Move {
  readonly from: Store;
  /** The source's account id: only a copy from the same account can be resumed. */
  readonly accountId: string;
  readonly target: Database;
  /** What to do if the target is not empty. */
  readonly advice: string;
}

/** Refuses a target that contains anything except the beginning of the same copy. */
export async function moveEverything({ from, accountId, target, advice }: Move): Promise<void> {
  const to = await openUnfinished(target);
  try {
    const claimed = await claimTarget(to, { url: withoutPassword(target.databaseUrl), accountId, advice });
    if (claimed === 'unfinished') await goOn(from, to);
    else await copyAndVerify(from, to);
    await unmarkCopy(to, accountId);
  } finally {
    await to.close();
  }
}

/**
 * A partial copy can be resumed only if the source has not changed since. Otherwise the target, which contains nothing
 * else, is emptied.
 */
async function goOn(from: Store, to: Store): Promise<void> {
  process.stderr.write('Resuming the interrupted copy.\n');
  const changed = await findChangedTable(from, to);
  if (changed !== undefined) {
    process.stderr.write(`The source has changed since then (${changed}): copying everything again.\n`);
    await emptyTables(to);
  }
  await copyAndVerify(from, to);
}

/** The first table whose rows in the target are not the first rows of the source. */
async function findChangedTable(from: Store, to: Store): Promise<string | undefined> {
  for (const table of tables) {
    const show = progress(`comparing ${table.name}`, await countRows(to, table));
    const copied = await sumOf(to, table, show.step);
    if ((await sumOf(from, table, () => undefined, copied.rows)).checksum !== copied.checksum) return table.name;
  }
  return undefined;
}

async function copyAndVerify(from: Store, to: Store): Promise<void> {
  await copyAll(from, to);
  await verify(from, to);
}

/** The target must be empty, or the beginning of a copy from the same source. */
async function claimTarget(
  to: Store,
  { url, accountId, advice }: { url: string; accountId: string; advice: string },
): Promise<'empty' | 'unfinished'> {
  const unfinished = await findUnfinishedCopy(to);
  if (unfinished === accountId) return 'unfinished';
  if (unfinished !== undefined)
    throw new OperatorError(`${url} contains an unfinished copy of another database; ${advice}`);
  const used = await findUsedTable(to);
  if (used) throw new OperatorError(`${url} is not empty: there are rows in ${used}; ${advice}`);
  await markCopy(to, accountId);
  return 'empty';
}

async function copyAll(from: Store, to: Store): Promise<void> {
  for (const table of tables) {
    const show = progress(`copying ${table.name}`, await countRows(from, table));
    await copyTable(from, to, { table, onProgress: show.step });
    show.end();
  }
}

/** Reads the source again from the beginning, which detects writes during the copy. */
async function verify(from: Store, to: Store): Promise<void> {
  const different: string[] = [];
  for (const table of tables) {
    const show = progress(`verifying ${table.name}`, await countRows(from, table));
    const [wanted, got] = [await sumOf(from, table, () => undefined), await sumOf(to, table, show.step)];
    const isEqual = wanted.rows === got.rows && wanted.checksum === got.checksum;
    show.end(`, sha256 ${got.checksum.slice(0, 16)}`);
    if (!isEqual) different.push(`${table.name}: ${wanted.rows} rows in the source, ${got.rows} in the target`);
  }
  if (different.length === 0) return;
  throw new OperatorError(
    [
      'The copy differs from its source:',
      ...different,
      'Was the source written to? Stop every server and run the same command again.',
    ].join('\n'),
  );
}

/** Ends with a line for each table that has rows: most have none. */
function progress(what: string, total: number) {
  const { step, end } = showProgress();
  return {
    step: (rows: number) => step({ what, rows, total }),
    end: (text = '') => end(total === 0 ? undefined : `${what}: ${total === 1 ? '1 row' : `${total} rows`}${text}`),
  };
}
