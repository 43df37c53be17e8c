/**
 * How many entries the audit log has, without reading them all each time.
 *
 * Invariants
 * 1. Entries older than `settledMs` are counted once: no transaction under way is that old, whichever node has it, and
 *    entries are never removed. Newer ones are counted anew each time.
 * 2. A log that was never counted is counted in slices, for a short while at each call, so that nobody else waits.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { countChangesBehind, findChangeBehind } from '#store/changes.ts';
import type { Position, Reader } from '#store/sql.ts';

/** Far more than a transaction may take, and than the clocks of two nodes may differ. */
const settledMs = 60_000;
const sliceSize = 5_000;
const effortMs = 200;

/** Answers the number, or undefined while there is more to count than one call may. Calls must not overlap. */
export function countAuditEntries(db: Reader): () => Promise<number | undefined> {
  let settled = 0;
  let counted: Position = { at: 0, id: '' };

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
    const until = Math.max(db.clock() - settledMs, counted.at - 1);
    if (!(await settle(until))) return undefined;
    return settled + (await countChangesBehind(db, counted, Number.MAX_SAFE_INTEGER));
  };
}
