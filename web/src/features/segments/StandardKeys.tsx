import { useMutation } from '@tanstack/react-query';
import { Download, GitPullRequestArrow, Minus, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { uploadKeys } from '#contract/segments.ts';
import type { Usage } from '#domain/segments.ts';
import { useMayPropose } from '../../changesets/propose.ts';
import { explain } from '../../kit/explain.ts';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { saveFile } from '../../kit/save-file.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { type Environment, needsApproval } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { toastFailure } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { allKeys } from './all-keys.ts';
import { KeyPanel } from './KeyPanel.tsx';
import { KeyTable } from './KeyTable.tsx';
import { toCsv } from './key-text.ts';
import styles from './SegmentPage.module.css';
import { useFileDrop } from './use-file-drop.ts';

export interface KeysProps {
  readonly segment: string;
  readonly environment: Environment;
  readonly keyCount: number;
  /** The segment in all environments. */
  readonly usages: readonly Usage[];
}

/** The keys of a standard segment in an environment. */
export function StandardKeys(props: KeysProps) {
  const { segment, environment, keyCount } = props;
  const [open, setOpen] = useState<'add' | 'remove'>();
  // Removing them takes the same right.
  const cannotEdit = useWhyNot()(uploadKeys, { environment: environment.id });
  const mayPropose = useMayPropose();
  const isProposed = mayPropose && (needsApproval(environment) || cannotEdit !== undefined);
  const refusal = isProposed ? undefined : cannotEdit;
  const [adding, removing] = isProposed ? ['Propose keys', 'Propose to remove keys'] : ['Add keys', 'Remove keys'];
  const [AddIcon, RemoveIcon] = isProposed ? [GitPullRequestArrow, GitPullRequestArrow] : [Plus, Minus];
  const [dropped, setDropped] = useState<File>();
  const isOver = useFileDrop((file) => {
    if (refusal !== undefined) return toastFailure(refusal);
    setDropped(file);
    setOpen((before) => before ?? 'add');
  });
  const addButton = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(undefined);
    setDropped(undefined);
    // The focused button leaves with the panel.
    addButton.current?.focus();
  };
  const downloading = useMutation<readonly string[], ApiProblem>({
    mutationFn: () => allKeys({ environment: environment.id, segment }),
    onSuccess: (keys) => saveFile(`${segment}-${environment.name}.csv`, toCsv(keys)),
    onError: (problem) => toastFailure(`The download failed. ${explain(problem)}`),
  });
  usePageActions([
    { label: adding, keys: 'a', icon: AddIcon, opensField: true, run: () => setOpen('add'), refusal },
    { label: 'Download keys', icon: Download, run: () => downloading.mutate() },
  ]);
  return (
    <>
      <div className={styles.bar}>
        <h2 className={styles.title}>
          {environment.name} {environment.production && <ProdChip />}
        </h2>
        <div className={styles.tools}>
          {keyCount > 0 && (
            <>
              <Button look="quiet" isBusy={downloading.isPending} onClick={() => downloading.mutate()}>
                <Download size={14} aria-hidden /> Download
              </Button>
              <Button look="quiet" refusal={refusal} onClick={() => setOpen('remove')}>
                <RemoveIcon size={14} aria-hidden /> {removing}
              </Button>
            </>
          )}
          <Button ref={addButton} refusal={refusal} onClick={() => setOpen('add')}>
            <AddIcon size={14} aria-hidden /> {adding}
          </Button>
        </div>
      </div>
      {isProposed && cannotEdit !== undefined && <Notice kind="plain">{cannotEdit} You can propose keys.</Notice>}
      {open && (
        <KeyPanel
          key={open}
          {...props}
          action={open}
          isProposed={isProposed}
          dropped={dropped}
          isOver={isOver}
          onClose={close}
        />
      )}
      {isOver && !open && (
        <p className={styles.dropHint}>
          Drop the file to {isProposed ? 'propose its keys for' : 'add its keys to'} {environment.name}.
        </p>
      )}
      <KeyTable {...props} isProposed={isProposed} refusal={refusal} />
    </>
  );
}
