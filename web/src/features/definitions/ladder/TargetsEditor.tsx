import { Download } from 'lucide-react';
import { useId, useState } from 'react';
import { setKeys } from '#domain/definitions/edit-treatments.ts';
import { TreatmentName } from '../../../kit/Bar.tsx';
import { saveFile } from '../../../kit/save-file.ts';
import { Button } from '../../../ui/Button.tsx';
import fieldStyles from '../../../ui/Field.module.css';
import { useDefinition } from '../editing/editor.ts';
import { keysIn, textOfKeys } from '../editing/key-lists.ts';
import styles from './TargetsEditor.module.css';

/** Lists of this size get a download button. */
const manyKeys = 20;

/** The keys of every treatment as text: one per line, or separated by commas. */
export function TargetsEditor({ onClose }: { readonly onClose: () => void }) {
  const { targeting } = useDefinition();
  return (
    <div className={styles.editor}>
      {targeting.treatments.map(({ name, keys = [] }, place) => (
        <KeysField key={name} treatment={name} keys={keys} isFirst={place === 0} />
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

interface Props {
  readonly treatment: string;
  readonly keys: readonly string[];
  readonly isFirst: boolean;
}

function KeysField({ treatment, keys, isFirst }: Props) {
  const { order, change } = useDefinition();
  const id = useId();
  // The text as typed, with its whitespace. The draft holds the parsed keys.
  const [text, setText] = useState(() => textOfKeys(keys));
  const shown = textOfKeys(keysIn(text)) === textOfKeys(keys) ? text : textOfKeys(keys);
  return (
    <div className={styles.field}>
      <div className={styles.top}>
        <label htmlFor={id}>
          <TreatmentName treatment={treatment} order={order} />
          <span className="sr"> keys</span>
        </label>
        <span className={styles.count}>{keys.length === 1 ? '1 key' : `${keys.length} keys`}</span>
        {keys.length >= manyKeys && (
          <Button
            look="quiet"
            size="tiny"
            aria-label={`Download the keys for ${treatment}`}
            onClick={() => saveFile(`${treatment}.txt`, textOfKeys(keys))}
          >
            <Download size={14} aria-hidden />
          </Button>
        )}
      </div>
      <textarea
        id={id}
        className={`${fieldStyles.input} ${fieldStyles.area} ${fieldStyles.name}`}
        rows={Math.min(8, Math.max(2, keys.length + 1))}
        spellCheck={false}
        autoCapitalize="off"
        // biome-ignore lint/a11y/noAutofocus: the user just asked to edit it
        autoFocus={isFirst}
        value={shown}
        onChange={({ target }) => {
          setText(target.value);
          change((targeting) => setKeys(targeting, treatment, keysIn(target.value)));
        }}
      />
    </div>
  );
}
