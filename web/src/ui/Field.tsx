import type { ComponentProps, ReactNode } from 'react';
import styles from './Field.module.css';
import { FieldFrame, type FrameProps } from './FieldFrame.tsx';

export type FieldProps = Omit<ComponentProps<'input'>, 'id' | 'className'> &
  FrameProps & {
    readonly name: string;
    /** Inside the input, at the right. */
    readonly tool?: ReactNode;
    /** `code` is for short codes, `name` for identifiers: flags, treatments, keys. */
    readonly face?: 'text' | 'code' | 'name';
  };

/** Identifiers are not words: keyboards must not change them. */
const asTyped = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false };

/** A label, an input, and a hint or error. */
export function Field({ label, hint, error, aside, tool, face = 'text', ...input }: FieldProps) {
  const classes = [styles.input, styles[face], tool !== undefined && styles.withTool];
  return (
    <FieldFrame label={label} hint={hint} error={error} aside={aside}>
      {(control) => (
        <div className={styles.box}>
          <input
            {...(face === 'name' ? asTyped : {})}
            {...input}
            {...control}
            className={classes.filter(Boolean).join(' ')}
          />
          {tool}
        </div>
      )}
    </FieldFrame>
  );
}
