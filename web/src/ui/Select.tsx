import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import styles from './Field.module.css';
import { FieldFrame, type FrameProps } from './FieldFrame.tsx';

type Props = Omit<ComponentProps<'select'>, 'id' | 'className'> & FrameProps & { readonly name: string };

/** A native select for a few choices. For many choices or multiple selection, use Picker. */
export function Select({ label, hint, error, aside, children, ...select }: Props) {
  return (
    <FieldFrame label={label} hint={hint} error={error} aside={aside}>
      {(control) => (
        <div className={styles.box}>
          <select {...select} {...control} className={`${styles.input} ${styles.select}`}>
            {children}
          </select>
          <ChevronDown size={14} className={styles.arrow} aria-hidden />
        </div>
      )}
    </FieldFrame>
  );
}
