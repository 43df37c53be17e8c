import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import styles from './OptionList.module.css';
import { useActiveOption } from './options.ts';

export interface Option {
  readonly id: string;
  /** Text to search. */
  readonly label: string;
  /** How to render it, if not as its label. */
  readonly face?: ReactNode;
  /** On the right. */
  readonly detail?: ReactNode;
  readonly group?: string;
}

export interface Creation {
  readonly label: (text: string) => string;
  readonly make: (text: string) => void;
  /** Offered before anything is typed, too. */
  readonly isAlways?: boolean;
}

interface Props {
  readonly label: string;
  readonly placeholder?: string;
  readonly face?: 'picker' | 'palette';
  readonly options: readonly Option[];
  /** Selected ids, shown with a tick. */
  readonly selected?: ReadonlySet<string> | undefined;
  readonly onChoose: (option: Option) => void;
  /** Called with the typed text if the server filters the options; they are not filtered here. */
  readonly onSearch?: ((text: string) => void) | undefined;
  /** Offers to create something as the last option: "Create tag x". */
  readonly create?: Creation | undefined;
  /** The server found more options than these. */
  readonly isCut?: boolean | undefined;
  readonly onKeyDown?: (event: KeyboardEvent, text: string) => void;
  readonly empty?: string;
}

const maxShown = 20;
const createId = '\0create';

/** A search field and matching options, chosen with arrow keys and Enter. The base of Picker and palette. */
export function OptionList(props: Props) {
  const {
    label,
    placeholder = 'Type to filter',
    options,
    selected,
    onChoose,
    onSearch,
    create,
    isCut = false,
    empty,
    face = 'picker',
  } = props;
  const id = useId();
  const [text, setText] = useState('');
  const asked = text.trim();
  const matching = onSearch ? options : options.filter((option) => matches(option, asked));
  const shown: Option[] = matching.slice(0, onSearch ? undefined : maxShown);
  const isLong = matching.length > shown.length;
  const isNew = asked !== '' && !options.some((option) => option.label.toLowerCase() === asked.toLowerCase());
  if (create && (isNew || create.isAlways)) shown.push({ id: createId, label: create.label(asked) });

  const choose = (index: number) => {
    const option = shown[index];
    if (!option) return;
    setText('');
    onSearch?.('');
    if (option.id === createId) create?.make(asked);
    else onChoose(option);
  };
  const { active, setActive, onKeyDown, listRef } = useActiveOption(shown.length, choose, asked);

  return (
    <div className={`${styles.whole} ${styles[face]}`}>
      <div className={styles.search}>
        <Search size={14} aria-hidden />
        <input
          className={styles.input}
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={shown[active] ? `${id}-${active}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          data-autofocus
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            onSearch?.(target.value.trim());
          }}
          onKeyDown={(event) => {
            if (!onKeyDown(event)) props.onKeyDown?.(event, text);
          }}
        />
      </div>
      <div
        ref={listRef}
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        aria-multiselectable={selected ? true : undefined}
        tabIndex={-1}
        className={styles.list}
      >
        {shown.map((option, index) => (
          <div key={option.id} role="presentation">
            {option.group !== undefined && option.group !== shown[index - 1]?.group && (
              <div className={styles.group} role="presentation">
                {option.group}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the field above */}
            <div
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={selected ? selected.has(option.id) : index === active}
              data-option={index}
              data-active={index === active || undefined}
              className={styles.option}
              onPointerMove={() => setActive(index)}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(index)}
            >
              {selected && <span className={selected.has(option.id) ? styles.ticked : styles.unticked} aria-hidden />}
              <span className={styles.words}>{option.face ?? option.label}</span>
              {option.detail !== undefined && <span className={styles.detail}>{option.detail}</span>}
            </div>
          </div>
        ))}
      </div>
      <p className={styles.note} role="status">
        {shown.length === 0 && (empty ?? 'No matches.')}
        {(isCut || isLong) && 'Type to narrow down.'}
      </p>
    </div>
  );
}

const matches = ({ label, id }: Option, text: string): boolean =>
  label.toLowerCase().includes(text.toLowerCase()) || id === text;
