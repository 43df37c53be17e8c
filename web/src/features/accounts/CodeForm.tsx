import { useQueryClient } from '@tanstack/react-query';
import { signIn } from '#contract/accounts.ts';
import { Form } from '../../kit/Form.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { beginSession } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { useFocusOnOpen } from '../../ui/focus.ts';
import { CodeField, codeRule, digitsOf } from './CodeField.tsx';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

const recoveryCodeRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter a recovery code.' : undefined),
  claim: (_, { status }) => (status === 401 ? 'Incorrect or already used code.' : undefined),
};

interface Props {
  readonly credentials: Credentials;
  readonly byRecoveryCode: boolean;
}

/** The second step of signing in: a code from the app, or a recovery code. */
export function CodeForm({ credentials, byRecoveryCode }: Props) {
  const client = useQueryClient();
  const input = useFocusOnOpen<HTMLInputElement>();
  const { form, errors, problem, isSending } = useForm({
    rules: { code: byRecoveryCode ? recoveryCodeRule : codeRule },
    send: ({ code }) => call(signIn, { body: { ...credentials, code: byRecoveryCode ? code.trim() : digitsOf(code) } }),
    onDone: (session) => beginSession(client, session),
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
      {byRecoveryCode ? (
        <Field
          name="code"
          label="Recovery code"
          face="code"
          autoComplete="off"
          maxLength={50}
          error={errors.code}
          ref={input}
        />
      ) : (
        <CodeField error={errors.code} ref={input} />
      )}
    </Form>
  );
}
