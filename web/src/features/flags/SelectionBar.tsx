import { useState } from 'react';
import { patchFlag } from '#contract/flags.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { useEnvironments } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { Button } from '../../ui/Button.tsx';
import { DeleteFlagsDialog, useWhyNotDelete } from './DeleteFlagsDialog.tsx';
import styles from './SelectionBar.module.css';
import { StatusDialog } from './StatusDialog.tsx';
import { TagDialog } from './TagDialog.tsx';

interface Props {
  readonly flags: readonly ListedFlag[];
  /** Clears the selection. */
  readonly onDone: () => void;
}

/** Actions for all selected flags. */
export function SelectionBar({ flags, onDone }: Props) {
  const [open, setOpen] = useState<'status' | 'tag' | 'delete'>();
  const environments = useEnvironments();
  const close = () => setOpen(undefined);
  const whyNot = useWhyNot();
  const refusal = flags.map((flag) => whyNot(patchFlag, flag)).find(Boolean);
  const whyNotDelete = useWhyNotDelete();
  const deleteRefusal = flags.map(whyNotDelete).find(Boolean);
  const reason = refusal ?? deleteRefusal;
  const dialog = { flags, onClose: close, onDone };
  return (
    <section className={styles.bar} aria-label="Selected flags">
      <p className={styles.count} role="status">
        {flags.length} selected
      </p>
      <Button refusal={refusal} onClick={() => setOpen('status')}>
        Set status
      </Button>
      <Button refusal={refusal} onClick={() => setOpen('tag')}>
        Add tag
      </Button>
      <Button look="danger" refusal={deleteRefusal} onClick={() => setOpen('delete')}>
        Delete
      </Button>
      <Button look="quiet" onClick={onDone}>
        Clear
      </Button>
      {reason !== undefined && <p className={styles.reason}>{reason}</p>}
      {open === 'status' && <StatusDialog {...dialog} />}
      {open === 'tag' && <TagDialog {...dialog} />}
      {open === 'delete' && (
        <DeleteFlagsDialog
          flags={flags.map(({ name, definitions = [] }) => ({
            name,
            environments: environments.filter(({ id }) => definitions.some(({ environment }) => environment.id === id)),
          }))}
          onClose={close}
          onDone={onDone}
        />
      )}
    </section>
  );
}
