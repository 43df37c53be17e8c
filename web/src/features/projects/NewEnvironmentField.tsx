import { X } from 'lucide-react';
import { environmentNameLimit } from '#domain/environments.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import styles from './NewEnvironmentField.module.css';

export interface NewEnvironment {
  /** The name of its field. */
  readonly id: `environment-${number}`;
  readonly name: string;
  readonly production: boolean;
}

interface Props {
  readonly environment: NewEnvironment;
  readonly number: number;
  /** It was just added, so its name is typed next. */
  readonly isNew: boolean;
  readonly error: string | undefined;
  readonly onChange: (environment: NewEnvironment) => void;
  readonly onRemove: () => void;
}

/** One environment of a new project. */
export function NewEnvironmentField({ environment, number, isNew, error, onChange, onRemove }: Props) {
  const word = environment.name.trim() || `environment ${number}`;
  return (
    <Field
      name={environment.id}
      label={`Environment ${number}`}
      aside={
        <span className={styles.production}>
          <Checkbox
            label="Production"
            aria-label={`${word} is production`}
            checked={environment.production}
            onChange={({ target }) => onChange({ ...environment, production: target.checked })}
          />
        </span>
      }
      tool={
        <span className={styles.tool}>
          <Button look="quiet" size="icon" aria-label={`Remove ${word}`} onClick={onRemove}>
            <X size={15} aria-hidden />
          </Button>
        </span>
      }
      value={environment.name}
      maxLength={environmentNameLimit}
      onChange={({ target }) => onChange({ ...environment, name: target.value })}
      error={error}
      autoComplete="off"
      autoFocus={isNew}
    />
  );
}
