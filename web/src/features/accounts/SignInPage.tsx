import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { signIn } from '#contract/accounts.ts';
import { call } from '../../api.ts';
import { type FieldRule, useForm } from '../../form.ts';
import { beginSession, useSession } from '../../session.ts';
import { Button } from '../../ui/Button.tsx';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form } from '../../ui/Form.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { emailRule } from './fields.ts';
import { type Credentials, SecondFactorStep } from './SecondFactorStep.tsx';

/** `next` in the address is the page that somebody wanted who was not signed in. */
export function SignInPage() {
  const { next = '/' } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const { data: session } = useSession();
  const [credentials, setCredentials] = useState<Credentials>();

  useEffect(() => {
    if (!session) return;
    const [, , page] = router.getMatchedRoutes(next.replace(/[?#].*$/s, ''));
    // What is no page of ours, such as /docs, is the server's.
    if (page) router.history.replace(next);
    else location.replace(next);
  }, [session, next, router]);

  if (credentials) {
    return <SecondFactorStep credentials={credentials} onBack={() => setCredentials(undefined)} />;
  }
  return <PasswordStep onCodeRequired={setCredentials} />;
}

const passwordRule: FieldRule = {
  check: (value) => (value === '' ? 'Enter your password.' : undefined),
  claim: (_, { status }) => (status === 401 ? 'E-mail or password is not right.' : undefined),
};

function PasswordStep({ onCodeRequired }: { readonly onCodeRequired: (credentials: Credentials) => void }) {
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
    <CentredPage title="Sign in" below={<TextLink to="/forgot">Forgot your password?</TextLink>}>
      <Form
        {...form}
        problem={problem}
        actions={
          <Button type="submit" look="primary" size="wide" isBusy={isSending}>
            Sign in
          </Button>
        }
      >
        <Field name="email" label="E-mail" type="email" autoComplete="username" maxLength={254} error={errors.email} />
        <PasswordField name="password" label="Password" autoComplete="current-password" error={errors.password} />
      </Form>
    </CentredPage>
  );
}
