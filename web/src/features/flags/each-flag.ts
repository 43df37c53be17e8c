import { useQueryClient } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { getFlag, listFlags } from '#contract/flags.ts';
import { explain } from '../../kit/explain.ts';
import { keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { toast, toastFailure } from '../../state/toasts.ts';

interface Named {
  readonly name: string;
}

/**
 * Applies the same action to each flag in turn. A failure is reported and does not stop the others; only a failure of
 * the first is thrown, since it would most likely affect all.
 */
export function useEachFlag() {
  const client = useQueryClient();
  return async <F extends Named>(
    flags: readonly F[],
    change: (flag: F) => Promise<unknown>,
    done: (what: string) => string,
  ) => {
    const failed: string[] = [];
    for (const [index, flag] of flags.entries()) {
      await change(flag).catch((problem: unknown) => {
        if (index === 0) throw problem;
        failed.push(`${flag.name}: ${explain(problem as ApiProblem)}`);
      });
    }
    const count = flags.length - failed.length;
    toast(done(count === 1 ? (flags[0]?.name ?? '') : `${count} flags`));
    if (failed.length > 0) toastFailure(failed.join('\n'));
    void client.invalidateQueries({ queryKey: keyOf(listFlags) });
    void client.invalidateQueries({ queryKey: keyOf(listChanges) });
    // The page of a flag that was just deleted is about to close.
    void client.invalidateQueries({ queryKey: keyOf(getFlag), refetchType: 'none' });
  };
}
