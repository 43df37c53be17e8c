/**
 * Counts the entries of the audit log without reading all of them each time.
 *
 * Invariants
 * 1. Entries older than `settledMs` are counted once: no open transaction on any node is that old. Newer ones are
 *    counted each time.
 * 2. The first count runs in slices, for a short time at each call, so that nothing else waits.
 * 3. Only settled entries are deleted, and a row counts them: those deleted after the count are subtracted. If some are
 *    deleted during the first count, it starts again, since they may or may not be in it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { findRemovedCount } from '#store/audit-retention.ts';
import { countChangesBehind, findChangeBehind } from '#store/changes.ts';
import type { Position, Reader } from '#store/sql.ts';

/** Far longer than a transaction can take, and than the clocks of two nodes can differ. */
const settledMs = 60_000;
const sliceSize = 5_000;
const effortMs = 200;

/** Returns the number, or undefined while the first count is unfinished. Calls must not overlap. */
export function countAuditEntries(db: Reader): () => Promise<number | undefined> {
  const start: Position = { at: 0, id: '' };
  let settled = 0;
  let counted = start;
  let removed = 0;
  let isSettled = false;

  /** False if time ran out. */
  const settle = async (until: number): Promise<boolean> => {
    const deadline = performance.now() + effortMs;
    for (;;) {
      const next = await findChangeBehind(db, counted, sliceSize, until);
      if (!next) break;
      settled += sliceSize;
      counted = next;
      if (performance.now() > deadline) return false;
      // A SQLite read blocks the event loop; let requests run in between.
      await nextTurn();
    }
    settled += await countChangesBehind(db, counted, until);
    counted = { at: until + 1, id: '' };
    return true;
  };
  return async () => {
    const removedNow = await findRemovedCount(db);
    if (isSettled) settled -= removedNow - removed;
    else if (removedNow !== removed) [settled, counted] = [0, start];
    removed = removedNow;
    const wasSettled = isSettled;
    isSettled = await settle(Math.max(db.clock() - settledMs, counted.at - 1));
    if (!wasSettled && (await findRemovedCount(db)) !== removed) isSettled = false;
    return isSettled ? settled + (await countChangesBehind(db, counted, Number.MAX_SAFE_INTEGER)) : undefined;
  };
}
