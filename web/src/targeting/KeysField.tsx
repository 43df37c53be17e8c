import { Download } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { saveFile } from '../kit/save-file.ts';
import { Button } from '../ui/Button.tsx';
import fieldStyles from '../ui/Field.module.css';
import styles from './KeysField.module.css';
import { keysIn, textOfKeys } from './key-lists.ts';

/** Lists of this size get a download button. */
const manyKeys = 20;

interface Props {
  readonly label: ReactNode;
  /** For the file, and for screen readers: "on". */
  readonly name: string;
  readonly keys: readonly string[];
  readonly isFirst?: boolean;
  readonly onChange: (keys: string[]) => void;
}

/** Keys as text: one per line, or separated by commas. */
export function KeysField({ label, name, keys, isFirst = false, onChange }: Props) {
  const id = useId();
  // The text as typed, with its whitespace. The draft holds the parsed keys.
  const [text, setText] = useState(() => textOfKeys(keys));
  const shown = textOfKeys(keysIn(text)) === textOfKeys(keys) ? text : textOfKeys(keys);
  return (
    <div className={styles.field}>
      <div className={styles.top}>
        <label htmlFor={id}>{label}</label>
        <span className={styles.count}>{keys.length === 1 ? '1 key' : `${keys.length} keys`}</span>
        {keys.length >= manyKeys && (
          <Button
            look="quiet"
            size="tiny"
            aria-label={`Download the keys for ${name}`}
            onClick={() => saveFile(`${name}.txt`, textOfKeys(keys))}
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
          onChange(keysIn(target.value));
        }}
      />
    </div>
  );
}
