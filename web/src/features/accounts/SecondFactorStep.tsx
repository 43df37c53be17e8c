import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { signIn } from '#contract/accounts.ts';
import { call } from '../../api.ts';
import { type FieldRule, useForm } from '../../form.ts';
import { beginSession } from '../../session.ts';
import { Button } from '../../ui/Button.tsx';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form } from '../../ui/Form.tsx';
import { useFocusOnOpen } from '../../ui/focus.ts';
import { CodeField, codeRule, digitsOf } from './CodeField.tsx';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

interface Props {
  readonly credentials: Credentials;
  readonly onBack: () => void;
}

/** The second half of signing in: a code of the app, or one of the recovery codes. */
export function SecondFactorStep({ credentials, onBack }: Props) {
  const [byRecoveryCode, setByRecoveryCode] = useState(false);
  return (
    <CentredPage
      title={byRecoveryCode ? 'Enter a recovery code' : 'Enter your code'}
      lead={
        byRecoveryCode
          ? 'One of the ten that you saved when you switched the second factor on. It works once.'
          : 'Your authenticator app shows it.'
      }
      below={
        <>
          <Button look="link" onClick={() => setByRecoveryCode(!byRecoveryCode)}>
            {byRecoveryCode ? 'Use the code of your app' : 'Use a recovery code'}
          </Button>
          <Button look="link" onClick={onBack}>
            Sign in as somebody else
          </Button>
        </>
      }
    >
      <CodeForm
        // A code of the one kind is never one of the other.
        key={String(byRecoveryCode)}
        credentials={credentials}
        byRecoveryCode={byRecoveryCode}
      />
    </CentredPage>
  );
}

const recoveryCodeRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter a recovery code.' : undefined),
  claim: (_, { status }) => (status === 401 ? 'This code is not right, or was used before.' : undefined),
};

interface CodeFormProps {
  readonly credentials: Credentials;
  readonly byRecoveryCode: boolean;
}

function CodeForm({ credentials, byRecoveryCode }: CodeFormProps) {
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
