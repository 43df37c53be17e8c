import { type ReactNode, useId } from 'react';
import styles from './Field.module.css';

export interface FrameProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Undefined: valid. */
  readonly error?: ReactNode;
  /** Right of the label. */
  readonly aside?: ReactNode;
}

/** Props that connect the control with its label and note. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

interface Props extends FrameProps {
  readonly children: (control: ControlProps) => ReactNode;
}

/** A label, a control, and a hint or error. */
export function FieldFrame({ label, hint, error, aside, children }: Props) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={styles.field}>
      <div className={styles.top}>
        <label htmlFor={id}>{label}</label>
        {aside}
      </div>
      {children({
        id,
        'aria-invalid': error === undefined ? undefined : true,
        'aria-describedby': note ? `${id}-note` : undefined,
      })}
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
