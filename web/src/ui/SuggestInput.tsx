import { type ComponentProps, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import list from './OptionList.module.css';
import type { Option } from './OptionList.tsx';
import popover from './Popover.module.css';
import { place } from './placement.ts';
import styles from './SuggestInput.module.css';

type Props = Omit<ComponentProps<'input'>, 'onChange' | 'list' | 'role' | 'type' | 'value'> & {
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly suggestions: readonly Option[];
  /** If choosing does more than writing the suggestion into the field. */
  readonly onChoose?: ((option: Option) => void) | undefined;
  /** The server found the suggestions, so they are not filtered here. */
  readonly areFound?: boolean;
};

const maxShown = 20;

/** A text field with suggestions, which can be chosen with the arrow keys and Enter. Other text can be entered too. */
export function SuggestInput({ value, onText, suggestions, onChoose, areFound = false, ...input }: Props) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isAsked, setAsked] = useState(false);
  const [active, setActive] = useState(-1);
  const asked = value.trim().toLowerCase();
  const shown = suggestions.filter(({ label }) => areFound || label.toLowerCase().includes(asked)).slice(0, maxShown);
  const isOpen = isAsked && shown.length > 0 && !(shown.length === 1 && shown[0]?.label === value);
  const at = Math.min(active, shown.length - 1);

  // Again when the number of options changes, which may move the list above the field.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const element = panel.current;
    if (!element || !isOpen) return;
    const settle = () => field.current && place(element, field.current, { isWide: true });
    settle();
    if (!element.matches(':popover-open')) element.showPopover();
    addEventListener('scroll', settle, true);
    addEventListener('resize', settle);
    return () => {
      removeEventListener('scroll', settle, true);
      removeEventListener('resize', settle);
    };
  }, [isOpen, shown.length]);
  useEffect(() => {
    panel.current?.querySelector(`[data-option="${at}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const choose = (option: Option) => {
    setAsked(false);
    setActive(-1);
    if (onChoose) onChoose(option);
    else onText(option.label);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = event.nativeEvent.isComposing ? undefined : { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const option = isOpen ? shown[at] : undefined;
    if (step !== undefined && shown.length > 0) {
      event.preventDefault();
      setAsked(true);
      setActive(isOpen ? (Math.max(at, step < 0 ? 0 : -1) + step + shown.length) % shown.length : 0);
    } else if (event.key === 'Enter' && option) {
      event.preventDefault();
      choose(option);
    } else if (event.key === 'Escape' && isOpen) {
      // Not further, where it would close a dialog.
      event.preventDefault();
      event.stopPropagation();
      setAsked(false);
    } else input.onKeyDown?.(event);
  };

  return (
    <>
      <input
        {...input}
        ref={field}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen && at >= 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => {
          setAsked(true);
          setActive(-1);
          onText(target.value);
        }}
        onClick={() => setAsked(true)}
        onKeyDown={onKeyDown}
        onBlur={(event) => {
          setAsked(false);
          input.onBlur?.(event);
        }}
      />
      {isOpen && (
        <div ref={panel} popover="manual" className={`${popover.panel} ${styles.panel}`}>
          <div id={`${id}-list`} role="listbox" aria-label="Suggestions" className={list.list}>
            {shown.map((option, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the field
              <div
                key={option.id}
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at}
                data-option={index}
                data-active={index === at || undefined}
                className={list.option}
                onPointerMove={() => setActive(index)}
                // The field keeps the focus.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => choose(option)}
              >
                <span className={`${list.words} ${styles.words}`}>{option.face ?? option.label}</span>
                {option.detail !== undefined && <span className={list.detail}>{option.detail}</span>}
              </div>
            ))}
          </div>
        </div>
      )}
    </>
  );
}
