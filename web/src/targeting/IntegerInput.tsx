import { useState } from 'react';
import styles from './MatcherEditor.module.css';
import type { WrongProps } from './MatcherEditor.tsx';

interface Props {
  readonly label: string;
  readonly wrong?: WrongProps;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}

/** An integer in the range SDKs support. Invalid text is kept as typed but has no value. */
export function IntegerInput({ label, wrong, value, onChange }: Props) {
  const [typed, setTyped] = useState<string>();
  // Shows the typed text while it equals the value, which Discard or another user may change.
  const text = typed !== undefined && integerOf(typed) === value ? typed : undefined;
  return (
    <input
      className={`${styles.control} ${styles.number}`}
      inputMode="numeric"
      aria-label={label}
      {...wrong}
      aria-invalid={text !== undefined && text !== '' && value === undefined ? true : wrong?.['aria-invalid']}
      value={text ?? (value === undefined ? '' : String(value))}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(integerOf(target.value));
      }}
      onBlur={() => {
        if (value !== undefined) setTyped(undefined);
      }}
    />
  );
}

function integerOf(text: string): number | undefined {
  const number = Number(text);
  return text.trim() !== '' && Number.isSafeInteger(number) ? number : undefined;
}
