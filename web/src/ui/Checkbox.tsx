import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './Checkbox.module.css';

type Props = Omit<ComponentProps<'input'>, 'id' | 'className' | 'type'> & {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
};

export const Checkbox = (props: Props) => <Choice {...props} type="checkbox" />;

/** In a table: what it selects is in its row. Hidden text for it in every row would make scrolling slow. */
export const RowCheckbox = ({ label, ...input }: Omit<Props, 'label' | 'hint'> & { readonly label: string }) => (
  <input {...input} type="checkbox" className={`${styles.box} ${styles.checkbox} ${styles.alone}`} aria-label={label} />
);

/** One of several with the same `name`, inside a Choices. */
export const Radio = (props: Props) => <Choice {...props} type="radio" />;

function Choice({ label, hint, type, ...input }: Props & { readonly type: 'checkbox' | 'radio' }) {
  const id = useId();
  return (
    <div className={styles.choice}>
      <input
        {...input}
        id={id}
        type={type}
        className={`${styles.box} ${styles[type]}`}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoicesProps {
  readonly label: string;
  readonly error?: string | undefined;
  readonly children: ReactNode;
}

/** Checkboxes or radios that belong together. */
export const Choices = ({ label, error, children }: ChoicesProps) => (
  <fieldset className={styles.choices}>
    <legend className={styles.legend}>{label}</legend>
    {children}
    {error !== undefined && (
      <p className={styles.error} role="alert">
        {error}
      </p>
    )}
  </fieldset>
);
