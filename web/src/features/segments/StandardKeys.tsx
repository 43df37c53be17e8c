import { useMutation } from '@tanstack/react-query';
import { Download, Minus, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { removeKeys, uploadKeys } from '#contract/segments.ts';
import type { Usage } from '#domain/segments.ts';
import { explain } from '../../kit/explain.ts';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { saveFile } from '../../kit/save-file.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { type Environment, needsApproval } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { toastFailure } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
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
  const whyNot = useWhyNot();
  const guarded = needsApproval(environment)
    ? `Changes in ${environment.name} need an approval. Propose keys as a changeset with the API.`
    : undefined;
  const whyNotAdd = whyNot(uploadKeys, { environment: environment.id }) ?? guarded;
  const whyNotRemove = whyNot(removeKeys, { environment: environment.id }) ?? guarded;
  const [dropped, setDropped] = useState<File>();
  const isOver = useFileDrop((file) => {
    if (whyNotAdd !== undefined) return toastFailure(whyNotAdd);
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
    { label: 'Add keys', keys: 'a', icon: Plus, run: () => setOpen('add'), refusal: whyNotAdd },
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
              <Button look="quiet" refusal={whyNotRemove} onClick={() => setOpen('remove')}>
                <Minus size={14} aria-hidden /> Remove keys
              </Button>
            </>
          )}
          <Button ref={addButton} refusal={whyNotAdd} onClick={() => setOpen('add')}>
            <Plus size={14} aria-hidden /> Add keys
          </Button>
        </div>
      </div>
      {open && <KeyPanel key={open} {...props} action={open} dropped={dropped} isOver={isOver} onClose={close} />}
      {isOver && !open && <p className={styles.dropHint}>Drop the file to add its keys to {environment.name}.</p>}
      <KeyTable {...props} whyNotRemove={whyNotRemove} />
    </>
  );
}
