import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './Field.module.css';

export type FieldProps = Omit<ComponentProps<'input'>, 'id' | 'className'> & {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  /** Undefined: nothing is wrong. */
  readonly error?: string | undefined;
  /** Beside the label, at the right. */
  readonly aside?: ReactNode;
  /** Inside the box, at its right end. */
  readonly tool?: ReactNode;
  readonly face?: 'text' | 'code';
};

/** A label, its input, a hint or what is wrong with the input. */
export function Field({ label, hint, error, aside, tool, face = 'text', ...input }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  const inputClass = [styles.input, face === 'code' && styles.code, tool !== undefined && styles.withTool];
  return (
    <div className={styles.field}>
      <div className={styles.top}>
        <label htmlFor={id}>{label}</label>
        {aside}
      </div>
      <div className={styles.box}>
        <input
          {...input}
          id={id}
          className={inputClass.filter(Boolean).join(' ')}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={note ? `${id}-note` : undefined}
        />
        {tool}
      </div>
      <p
        id={`${id}-note`}
        className={error === undefined ? styles.hint : styles.error}
        aria-live="polite"
        hidden={!note}
      >
        {note}
      </p>
    </div>
  );
}
