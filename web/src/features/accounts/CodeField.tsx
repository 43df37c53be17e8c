import type { Ref } from 'react';
import type { FieldRule } from '../../kit/form.ts';
import { Field } from '../../ui/Field.tsx';

/** Apps show the code as 123 456, so pasted codes may contain spaces. */
export const digitsOf = (text: string): string => text.replaceAll(/\s/g, '');

export const codeRule: FieldRule = {
  check: (value) => (/^\d{6}$/.test(digitsOf(value)) ? undefined : 'Enter the six digits from your app.'),
  claim: (complaint, { status }) =>
    status === 401 || complaint.startsWith('The code') || complaint.startsWith('code ')
      ? 'Incorrect code. Wait for the next one and try again.'
      : undefined,
};

interface Props {
  readonly error: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
}

export const CodeField = ({ error, ref }: Props) => (
  <Field
    name="code"
    label="Six-digit code"
    face="code"
    inputMode="numeric"
    autoComplete="one-time-code"
    maxLength={7}
    error={error}
    ref={ref}
  />
);
