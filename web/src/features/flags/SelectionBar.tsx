import { Archive, Copy, Power, Tag, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { patchFlag } from '#contract/flags.ts';
import { useEnvironments } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { Button } from '../../ui/Button.tsx';
import { ArchiveFlagsDialog, CopyFlagsDialog, KillFlagsDialog } from './BulkDialogs.tsx';
import { DeleteFlagsDialog, useWhyNotDelete } from './DeleteFlagsDialog.tsx';
import { OwnersDialog } from './OwnersDialog.tsx';
import styles from './SelectionBar.module.css';
import { StatusDialog } from './StatusDialog.tsx';
import type { Selection } from './selection.ts';
import { TagDialog } from './TagDialog.tsx';

interface Props {
  readonly selection: Selection;
  /** How many flags the query has. */
  readonly total: number;
}

const icon = { size: 14, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** Actions for all selected flags. */
export function SelectionBar({ selection, total }: Props) {
  const { flags, count } = selection;
  const [open, setOpen] = useState<'status' | 'tag' | 'untag' | 'owners' | 'kill' | 'copy' | 'archive' | 'delete'>();
  const environments = useEnvironments();
  // Changing the filter keeps the selection, so it may have both.
  const isArchived = flags.every(({ archivedAt }) => archivedAt !== undefined);
  const close = () => setOpen(undefined);
  const whyNot = useWhyNot();
  const refusal = flags.map((flag) => whyNot(patchFlag, flag)).find(Boolean);
  const whyNotDelete = useWhyNotDelete();
  const deleteRefusal = flags.map(whyNotDelete).find(Boolean);
  const reason = refusal ?? deleteRefusal;
  const dialog = { flags, onClose: close, onDone: selection.clear };
  return (
    <section className={styles.bar} aria-label="Selected flags">
      <p className={styles.count} role="status">
        {count} selected
      </p>
      {count < total && (
        <Button look="quiet" isBusy={selection.isLoading} onClick={() => void selection.selectAll()}>
          Select all {total}
        </Button>
      )}
      {!isArchived && (
        <>
          <Button refusal={refusal} onClick={() => setOpen('status')}>
            Set status
          </Button>
          <Button refusal={refusal} onClick={() => setOpen('tag')}>
            <Tag {...icon} /> Add tag
          </Button>
          <Button refusal={refusal} onClick={() => setOpen('untag')}>
            Remove tag
          </Button>
          <Button refusal={refusal} onClick={() => setOpen('owners')}>
            Set owners
          </Button>
          <Button onClick={() => setOpen('copy')}>
            <Copy {...icon} /> Copy to
          </Button>
          <Button look="danger" onClick={() => setOpen('kill')}>
            <Power {...icon} /> Kill in
          </Button>
        </>
      )}
      <Button refusal={deleteRefusal} onClick={() => setOpen('archive')}>
        <Archive {...icon} /> {isArchived ? 'Unarchive' : 'Archive'}
      </Button>
      <Button look="danger" refusal={deleteRefusal} onClick={() => setOpen('delete')}>
        <Trash2 {...icon} /> Delete
      </Button>
      <Button look="quiet" size="icon" aria-label="Clear selection" onClick={selection.clear}>
        <X {...icon} />
      </Button>
      {reason !== undefined && <p className={styles.reason}>{reason}</p>}
      {open === 'status' && <StatusDialog {...dialog} />}
      {open === 'tag' && <TagDialog {...dialog} isAdding />}
      {open === 'untag' && <TagDialog {...dialog} isAdding={false} />}
      {open === 'owners' && <OwnersDialog {...dialog} />}
      {open === 'kill' && <KillFlagsDialog {...dialog} />}
      {open === 'copy' && <CopyFlagsDialog {...dialog} />}
      {open === 'archive' && <ArchiveFlagsDialog {...dialog} isArchived={isArchived} />}
      {open === 'delete' && (
        <DeleteFlagsDialog
          flags={flags.map(({ name, definitions = [] }) => ({
            name,
            environments: environments.filter(({ id }) => definitions.some(({ environment }) => environment.id === id)),
          }))}
          onClose={close}
          onDone={selection.clear}
        />
      )}
    </section>
  );
}
