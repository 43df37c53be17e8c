import { setKeys, setSegments } from '#domain/definitions/edit-treatments.ts';
import { TreatmentName } from '../../../kit/Bar.tsx';
import { KeysField } from '../../../targeting/KeysField.tsx';
import { SegmentsField } from '../../../targeting/SegmentsField.tsx';
import { Button } from '../../../ui/Button.tsx';
import { useDefinition } from '../editing/editor.ts';
import styles from './TargetsEditor.module.css';

/** The keys of every treatment. */
export function TargetsEditor({ onClose }: { readonly onClose: () => void }) {
  const { targeting, order, change } = useDefinition();
  return (
    <div className={styles.editor}>
      {targeting.treatments.map(({ name, keys = [], segments = [] }, place) => (
        <div key={name} className={styles.treatment}>
          <KeysField
            label={
              <>
                <TreatmentName treatment={name} order={order} />
                <span className="sr"> keys</span>
              </>
            }
            name={name}
            keys={keys}
            isFirst={place === 0}
            onChange={(next) => change((before) => setKeys(before, name, next))}
          />
          <SegmentsField
            label={`Segments of ${name}`}
            selected={segments}
            onChange={(next) => change((before) => setSegments(before, name, next))}
          />
        </div>
      ))}
      <p className={styles.hint}>One key per line, or separated by commas. Duplicates are merged.</p>
      <div>
        <Button size="small" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
