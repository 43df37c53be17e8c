import { useState } from 'react';
import { Field, type FieldProps } from './Field.tsx';
import styles from './PasswordField.module.css';

export function PasswordField(props: Omit<FieldProps, 'type' | 'tool'>) {
  const [isShown, setShown] = useState(false);
  const word = isShown ? 'Hide' : 'Show';
  return (
    <Field
      {...props}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      tool={
        <button
          type="button"
          className={styles.show}
          aria-label={`${word} ${props.label.toLowerCase()}`}
          onClick={() => setShown(!isShown)}
        >
          {word}
        </button>
      }
    />
  );
}
