import { Plus, X } from 'lucide-react';
import styles from './ChipsField.module.css';
import type { Creation, Option } from './OptionList.tsx';
import { MultiPicker } from './Picker.tsx';

interface Props {
  readonly label: string;
  readonly options: readonly Option[];
  readonly selected: readonly string[];
  readonly onChange: (ids: string[]) => void;
  /** The button label: "Add tag". */
  readonly add: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly onSearch?: ((text: string) => void) | undefined;
  readonly create?: Creation | undefined;
  readonly isCut?: boolean | undefined;
  readonly isReadOnly?: boolean;
}

/** Chosen items as removable chips, and a button to add more. */
export function ChipsField(props: Props) {
  const { label, options, selected, onChange, add, hint, error, onSearch, create, isCut, isReadOnly = false } = props;
  const nameOf = (id: string) => options.find((option) => option.id === id)?.label ?? id;
  return (
    <fieldset className={styles.field}>
      <legend className={styles.legend}>{label}</legend>
      <div className={styles.chips}>
        {selected.map((id) => (
          <span key={id} className={styles.chip}>
            {nameOf(id)}
            {!isReadOnly && (
              <button
                type="button"
                className={styles.remove}
                aria-label={`Remove ${nameOf(id)}`}
                onClick={() => onChange(selected.filter((other) => other !== id))}
              >
                <X size={12} aria-hidden />
              </button>
            )}
          </span>
        ))}
        {isReadOnly && selected.length === 0 && <span className={styles.none}>None</span>}
        {!isReadOnly && (
          <MultiPicker
            label={label}
            options={options}
            selected={selected}
            onChange={onChange}
            onSearch={onSearch}
            create={create}
            isCut={isCut}
            trigger={(trigger) => (
              <button type="button" className={styles.add} {...trigger}>
                <Plus size={13} aria-hidden /> {add}
              </button>
            )}
          />
        )}
      </div>
      {(error ?? hint) && <p className={error === undefined ? styles.hint : styles.error}>{error ?? hint}</p>}
    </fieldset>
  );
}
