import { useState } from 'react';
import styles from './MatcherEditor.module.css';

interface Props {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}

/** A whole number of any size that the SDKs can read. What is no such number is kept as typed, and is no value. */
export function IntegerInput({ label, value, onChange }: Props) {
  const [typed, setTyped] = useState<string>();
  // As typed while it means the value, which may have become another: by Discard, or by somebody else.
  const text = typed !== undefined && integerOf(typed) === value ? typed : undefined;
  return (
    <input
      className={`${styles.control} ${styles.number}`}
      inputMode="numeric"
      aria-label={label}
      aria-invalid={text !== undefined && text !== '' && value === undefined ? true : undefined}
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
