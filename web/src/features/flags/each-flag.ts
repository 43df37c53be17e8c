import { useQueryClient } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { listCleanup } from '#contract/cleanup.ts';
import { countFlags, getFlag, listFlags } from '#contract/flags.ts';
import { explain } from '../../kit/explain.ts';
import { keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { noticesOf } from '../../state/notices.ts';
import { toast } from '../../state/toasts.ts';

interface Named {
  readonly name: string;
}

export interface FailedFlag extends Named {
  readonly why: string;
}

const progress = noticesOf<{ readonly done: number; readonly total: number } | undefined>(undefined);
const failures = noticesOf<readonly FailedFlag[]>([]);

/** How far a change to several flags is. */
export const useProgress = progress.use;
/** The flags that the last change left as they were. */
export const useFailedFlags = failures.use;
export const forgetFailedFlags = (): void => failures.set([]);

/**
 * Applies the same action to each flag in turn. Failures do not stop the others; they are listed afterwards. Only what
 * the form can answer is thrown: a missing note, and the failure of a single flag.
 */
export function useEachFlag() {
  const client = useQueryClient();
  return async <F extends Named>(
    flags: readonly F[],
    change: (flag: F) => Promise<unknown>,
    done: (what: string) => string,
    undo?: (changed: readonly F[]) => void,
  ) => {
    const failed: FailedFlag[] = [];
    try {
      for (const [index, flag] of flags.entries()) {
        if (flags.length > 1) progress.set({ done: index, total: flags.length });
        await change(flag).catch((problem: ApiProblem) => {
          if (flags.length === 1 || problem.noteRequired) throw problem;
          failed.push({ name: flag.name, why: explain(problem) });
        });
      }
    } finally {
      progress.set(undefined);
    }
    const changed = flags.filter(({ name }) => !failed.some((one) => one.name === name));
    const count = changed.length;
    const what = count === 1 && failed.length === 0 ? (flags[0]?.name ?? '') : `${count} flags`;
    if (count > 0) toast(done(what), undo && { label: 'Undo', run: () => undo(changed) });
    failures.set(failed);
    for (const endpoint of [listFlags, countFlags, listCleanup, listChanges]) {
      void client.invalidateQueries({ queryKey: keyOf(endpoint) });
    }
    // The page of a flag that was just deleted is about to close.
    void client.invalidateQueries({ queryKey: keyOf(getFlag), refetchType: 'none' });
  };
}
