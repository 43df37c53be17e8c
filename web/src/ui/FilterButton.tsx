import { Check, ChevronDown, X } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './FilterButton.module.css';
import type { TriggerProps } from './Popover.tsx';

interface Props {
  readonly what: string;
  /** Undefined if not set. */
  readonly value: ReactNode;
  readonly onClear: () => void;
  /** A Picker or Popover with the given trigger. */
  readonly picker: (trigger: (props: TriggerProps) => ReactNode) => ReactNode;
}

/** A filter; once set, it shows its value and a button to clear it. */
export const FilterButton = ({ what, value, onClear, picker }: Props) => (
  <span className={value === undefined ? styles.filter : styles.set}>
    {picker((trigger) => (
      <button type="button" className={styles.button} {...trigger}>
        {what}
        {value === undefined ? <ChevronDown size={13} aria-hidden /> : <span className={styles.value}>{value}</span>}
      </button>
    ))}
    {value !== undefined && (
      <button type="button" className={styles.clear} aria-label={`Clear ${what.toLowerCase()}`} onClick={onClear}>
        <X size={13} aria-hidden />
      </button>
    )}
  </span>
);

/** Opens a list of further filters. */
export const AddFilterButton = ({ children, ...trigger }: TriggerProps & { readonly children: ReactNode }) => (
  <span className={styles.filter}>
    <button type="button" className={styles.button} {...trigger}>
      {children}
    </button>
  </span>
);

interface ToggleProps {
  readonly isOn: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

/** A filter that is on or off. */
export const FilterToggle = ({ isOn, onToggle, children }: ToggleProps) => (
  <span className={isOn ? styles.set : styles.filter}>
    <button type="button" className={styles.button} aria-pressed={isOn} onClick={onToggle}>
      {isOn && <Check size={13} aria-hidden />}
      {children}
    </button>
  </span>
);

/** Search and filters in a row that wraps. */
export const Filters = ({ children }: { readonly children: ReactNode }) => (
  <search className={styles.row}>{children}</search>
);

/** The number of results, announced to screen readers when it changes. */
export const FilterCount = ({ children }: { readonly children: ReactNode }) => (
  <p className={styles.count} role="status">
    {children}
  </p>
);
