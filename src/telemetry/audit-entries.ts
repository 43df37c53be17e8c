/**
 * How many entries the audit log has, without reading them all each time.
 *
 * Invariants
 * 1. Entries older than `settledMs` are counted once: no transaction under way is that old, whichever node has it. Newer
 *    ones are counted each time.
 * 2. A log that was never counted is counted in slices, for a short while at each call, so that nobody else waits.
 * 3. Only settled entries are removed, and how many is in a row: those that go after the count are subtracted. When some
 *    go while a first count is under way, nobody knows whether they were in it, so it begins again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { findRemovedCount } from '#store/audit-retention.ts';
import { countChangesBehind, findChangeBehind } from '#store/changes.ts';
import type { Position, Reader } from '#store/sql.ts';

/** Far more than a transaction may take, and than the clocks of two nodes may differ. */
const settledMs = 60_000;
const sliceSize = 5_000;
const effortMs = 200;

/** Answers the number, or undefined while there is more to count than one call may. Calls must not overlap. */
export function countAuditEntries(db: Reader): () => Promise<number | undefined> {
  const start: Position = { at: 0, id: '' };
  let settled = 0;
  let counted = start;
  let removed = 0;
  let isSettled = false;

  /** False when the time was too short. */
  const settle = async (until: number): Promise<boolean> => {
    const deadline = performance.now() + effortMs;
    for (;;) {
      const next = await findChangeBehind(db, counted, sliceSize, until);
      if (!next) break;
      settled += sliceSize;
      counted = next;
      if (performance.now() > deadline) return false;
      // A read of SQLite blocks the event loop: requests come in between.
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
