import type { ComponentProps, ReactNode } from 'react';
import styles from './Field.module.css';
import { FieldFrame, type FrameProps } from './FieldFrame.tsx';

export type FieldProps = Omit<ComponentProps<'input'>, 'id' | 'className'> &
  FrameProps & {
    readonly name: string;
    /** Inside the box, at its right end. */
    readonly tool?: ReactNode;
    /** `code` is for codes with few characters, `name` for what programs read: flags, treatments, keys. */
    readonly face?: 'text' | 'code' | 'name';
  };

/** A label, its input, a hint or what is wrong with the input. */
export function Field({ label, hint, error, aside, tool, face = 'text', ...input }: FieldProps) {
  const classes = [styles.input, styles[face], tool !== undefined && styles.withTool];
  return (
    <FieldFrame label={label} hint={hint} error={error} aside={aside}>
      {(control) => (
        <div className={styles.box}>
          <input {...input} {...control} className={classes.filter(Boolean).join(' ')} />
          {tool}
        </div>
      )}
    </FieldFrame>
  );
}
