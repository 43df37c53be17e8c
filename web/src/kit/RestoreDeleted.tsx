import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ArchiveRestore } from 'lucide-react';
import { listChanges } from '#contract/changes.ts';
import { getFlag, listFlags, undeleteFlag } from '#contract/flags.ts';
import { listSegments, undeleteSegment } from '#contract/segments.ts';
import { call, keyOf } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';
import { useMay } from '../server/session.ts';
import { toast, toastFailure } from '../state/toasts.ts';
import { Button } from '../ui/Button.tsx';
import { explain } from './explain.ts';

interface Props {
  readonly project: string;
  readonly type: 'flag' | 'segment';
  readonly object: { readonly id: string; readonly name: string };
  /** The audit log has no keys of segments. */
  readonly isWithoutKeys?: boolean;
}

/** Brings a flag back from the audit log, with its definitions and seeds, or a segment with its rules. */
export function RestoreDeleted({ project, type, object: { id, name }, isWithoutKeys = false }: Props) {
  const client = useQueryClient();
  const may = useMay();
  const restoring = useMutation<unknown, ApiProblem>({
    mutationFn: () => {
      const query = { title: `Restore ${name}`, comment: 'It was deleted.' };
      return type === 'flag'
        ? call(undeleteFlag, { params: { project, deletedFlag: id }, query })
        : call(undeleteSegment, { params: { project, deletedSegment: id }, query });
    },
    onSuccess: () => {
      toast(`Restored ${name}.`);
      for (const endpoint of [getFlag, listFlags, listSegments, listChanges]) {
        void client.invalidateQueries({ queryKey: keyOf(endpoint) });
      }
    },
    onError: (problem) => toastFailure(explain(problem)),
  });
  if (!may(type === 'flag' ? undeleteFlag : undeleteSegment)) return null;
  return (
    <Button size="small" isBusy={restoring.isPending} onClick={() => restoring.mutate()}>
      <ArchiveRestore size={14} aria-hidden /> Restore {name}
      {isWithoutKeys && ' without its keys'}
    </Button>
  );
}
