import { Archive, TimerReset, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { patchFlag } from '#contract/flags.ts';
import type { CleanupFlag } from '#domain/cleanup.ts';
import { useWhyNot } from '../../server/rights.ts';
import { Button } from '../../ui/Button.tsx';
import { CleanupDialog, type CleanupStep, useArchiveStep, useWhyNotArchive } from './CleanupDialogs.tsx';
import styles from './SelectionBar.module.css';

const icon = { size: 14, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** Actions for all selected flags. */
export function CleanupSelection({
  flags,
  onClear,
}: {
  readonly flags: readonly CleanupFlag[];
  readonly onClear: () => void;
}) {
  const [step, setStep] = useState<CleanupStep>();
  const archive = useArchiveStep(() => setStep('archive'));
  const whyNot = useWhyNot();
  const refusal = flags.map(({ owners }) => whyNot(patchFlag, { owners })).find(Boolean);
  const archiveRefusal = flags.map(useWhyNotArchive()).find(Boolean);
  return (
    <section className={styles.bar} aria-label="Selected flags">
      <p className={styles.count} role="status">
        {flags.length} selected
      </p>
      <Button refusal={archiveRefusal} onClick={() => archive(flags, onClear)}>
        <Archive {...icon} /> Archive
      </Button>
      <Button refusal={refusal} onClick={() => setStep('keep')}>
        <TimerReset {...icon} /> Keep
      </Button>
      <Button refusal={refusal} onClick={() => setStep('status')}>
        Set status
      </Button>
      <Button look="danger" refusal={archiveRefusal} onClick={() => setStep('delete')}>
        <Trash2 {...icon} /> Delete
      </Button>
      <Button look="quiet" size="icon" aria-label="Clear selection" onClick={onClear}>
        <X {...icon} />
      </Button>
      <CleanupDialog step={step} flags={flags} onClose={() => setStep(undefined)} onDone={onClear} />
    </section>
  );
}
