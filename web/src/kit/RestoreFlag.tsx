import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ArchiveRestore } from 'lucide-react';
import { listChanges } from '#contract/changes.ts';
import { getFlag, listFlags, undeleteFlag } from '#contract/flags.ts';
import { call, keyOf } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';
import { useMay } from '../server/session.ts';
import { toast, toastFailure } from '../state/toasts.ts';
import { Button } from '../ui/Button.tsx';
import { explain } from './explain.ts';

interface Props {
  readonly project: string;
  readonly flag: { readonly id: string; readonly name: string };
}

/** Brings a deleted flag back from the audit log, with its definitions and seeds. */
export function RestoreFlag({ project, flag }: Props) {
  const client = useQueryClient();
  const may = useMay();
  const restoring = useMutation<unknown, ApiProblem>({
    mutationFn: () =>
      call(undeleteFlag, {
        params: { project, deletedFlag: flag.id },
        query: { title: `Restore ${flag.name}`, comment: 'It was deleted.' },
      }),
    onSuccess: () => {
      toast(`Restored ${flag.name}.`);
      for (const endpoint of [getFlag, listFlags, listChanges]) {
        void client.invalidateQueries({ queryKey: keyOf(endpoint) });
      }
    },
    onError: (problem) => toastFailure(explain(problem)),
  });
  if (!may(undeleteFlag)) return null;
  return (
    <Button size="small" isBusy={restoring.isPending} onClick={() => restoring.mutate()}>
      <ArchiveRestore size={14} aria-hidden /> Restore {flag.name}
    </Button>
  );
}
