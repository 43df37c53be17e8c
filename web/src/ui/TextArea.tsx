import type { ComponentProps } from 'react';
import styles from './Field.module.css';
import { FieldFrame, type FrameProps } from './FieldFrame.tsx';

type Props = Omit<ComponentProps<'textarea'>, 'id' | 'className'> &
  FrameProps & {
    readonly name: string;
    readonly face?: 'text' | 'name';
  };

export function TextArea({ label, hint, error, aside, face = 'text', rows = 3, ...area }: Props) {
  return (
    <FieldFrame label={label} hint={hint} error={error} aside={aside}>
      {(control) => (
        <textarea
          {...area}
          {...control}
          rows={rows}
          className={`${styles.input} ${styles.area} ${face === 'name' ? styles.name : ''}`}
        />
      )}
    </FieldFrame>
  );
}
