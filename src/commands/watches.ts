/** Watching flags. What people watch is private: it is not in the audit log. */
import type { Scope } from '#domain/access.ts';
import { Problem } from '#domain/problems.ts';
import { maxWatchers, maxWatches } from '#domain/watches.ts';
import type { Tx } from '#store/sql.ts';
import * as store from '#store/watches.ts';
import { type Context, writePrivately } from './context.ts';

/** Refuses a flag that the actor cannot see, and one too many. */
export const watchFlag = (context: Context, flagId: string) =>
  writePrivately(context, async (tx, { id, scope }) => {
    await requireFlag(tx, flagId, scope);
    if (!(await store.insertWatch(tx, id, flagId)))
      throw new Problem('too_many_watches', { max: maxWatches, watchers: maxWatchers });
    return true as const;
  });

/** Nothing happens if it is not watched. Refuses a flag that the actor neither watches nor sees. */
export const unwatchFlag = (context: Context, flagId: string) =>
  writePrivately(context, async (tx, { id, scope }) => {
    if (!(await store.deleteWatch(tx, id, flagId))) await requireFlag(tx, flagId, scope);
    return true as const;
  });

async function requireFlag(tx: Tx, flagId: string, scope: Scope): Promise<void> {
  if (!(await store.keepFlagInScope(tx, flagId, scope))) throw new Problem('flag_not_found', { nameOrId: flagId });
}
