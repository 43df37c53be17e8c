import { useState } from 'react';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { weaknessOf } from './fields.ts';

/** The complaint about an empty password states the length rule. */
const invitingHint = `${weaknessOf('', [])} You can paste from a password manager.`;

interface Props {
  readonly name: string;
  readonly label: string;
  /** The person's own words (name, email), which make a password weak. */
  readonly words: readonly string[];
  readonly error: string | undefined;
}

/** Rates the password as you type. */
export function NewPasswordField({ words, ...field }: Props) {
  const [value, setValue] = useState('');
  const weakness = value === '' ? undefined : weaknessOf(value, words);
  const hint = value === '' ? invitingHint : (weakness ?? 'Strong enough.');
  return (
    <PasswordField
      {...field}
      autoComplete="new-password"
      value={value}
      onChange={(event) => setValue(event.target.value)}
      hint={hint}
    />
  );
}
