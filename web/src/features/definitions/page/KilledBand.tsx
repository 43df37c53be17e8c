import { useQuery } from '@tanstack/react-query';
import { Power, RotateCcw } from 'lucide-react';
import { restoreDefinition } from '#contract/definitions.ts';
import { EditorName } from '../../../kit/EditorName.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Time } from '../../../ui/Time.tsx';
import { useChangesReading } from '../editing/changes.ts';
import { useDialogs } from '../editing/dialogs.ts';
import { useDefinition } from '../editing/editor.ts';
import styles from './KilledBand.module.css';

/** Says since when and by whom the flag is killed, and offers to restore it. */
export function KilledBand() {
  const { saved, environment, whyNot } = useDefinition();
  const dialogs = useDialogs();
  const { data } = useQuery(useChangesReading(environment.id));
  const kill = data?.data.find(({ auditLogType }) => auditLogType === 'definition.killed');
  return (
    <div className={styles.band} role="status">
      <Power size={18} aria-hidden />
      <div className={styles.words}>
        <strong>
          {kill ? (
            <>
              Killed <Time at={kill.createdAt} /> by <EditorName editor={kill.editor} />.
            </>
          ) : (
            'Killed.'
          )}
        </strong>
        {kill?.comment && <p>{kill.comment}</p>}
        <p>
          Everyone gets <code>{saved?.defaultTreatment}</code>. The rules below are kept but not evaluated.
        </p>
      </div>
      <Button refusal={whyNot(restoreDefinition)} onClick={() => dialogs.open('restore')}>
        <RotateCcw size={14} aria-hidden /> Restore
      </Button>
    </div>
  );
}
