import { useQueryClient } from '@tanstack/react-query';
import { signIn } from '#contract/accounts.ts';
import { Form } from '../../kit/Form.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { beginSession } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import type { Credentials } from './CodeForm.tsx';
import { emailRule } from './fields.ts';
import { GivenEmail } from './GivenEmail.tsx';

const passwordRule: FieldRule = {
  check: (value) => (value === '' ? 'Enter your password.' : undefined),
  claim: (_, { status }) => (status === 401 ? 'Email or password is incorrect.' : undefined),
};

interface Props {
  /** Set if the person is already known. */
  readonly email?: string;
  /** Called if the password is correct and a code is required. */
  readonly onCodeRequired: (credentials: Credentials) => void;
}

/** The first step of signing in. */
export function PasswordForm({ email, onCodeRequired }: Props) {
  const client = useQueryClient();
  const { form, errors, problem, isSending } = useForm({
    rules: { email: emailRule, password: passwordRule },
    send: (credentials) => call(signIn, { body: credentials }),
    onDone: (session) => beginSession(client, session),
    onProblem: ({ details }, credentials) => {
      if (details !== 'code required') return false;
      onCodeRequired(credentials);
      return true;
    },
  });
  return (
    <Form
      {...form}
      problem={problem}
      actions={
        <Button type="submit" look="primary" size="wide" isBusy={isSending}>
          Sign in
        </Button>
      }
    >
      {email === undefined ? (
        <Field name="email" label="Email" type="email" autoComplete="username" maxLength={254} error={errors.email} />
      ) : (
        <GivenEmail email={email} />
      )}
      <PasswordField
        name="password"
        label="Password"
        autoComplete="current-password"
        error={errors.password}
        // In a dialog the browser focuses the first field, which is already filled in.
        autoFocus={email !== undefined}
      />
    </Form>
  );
}
