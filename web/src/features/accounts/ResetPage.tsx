import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { getPasswordReset, resetPassword } from '#contract/accounts.ts';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { call, reading } from '../../server/api.ts';
import { Button } from '../../ui/Button.tsx';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { ButtonLink } from '../../ui/TextLink.tsx';
import { newPasswordRule } from './fields.ts';
import { GivenEmail } from './GivenEmail.tsx';
import { MailedLink, type OnProblem, type Person } from './MailedLink.tsx';
import { NewPasswordField } from './NewPasswordField.tsx';

const title = 'Set a new password';

/** Sets a new password from an emailed link. */
export function ResetPage() {
  const { token } = useParams({ from: '/reset/$token' });
  const [isDone, setDone] = useState(false);
  if (isDone) return <Done />;
  return (
    <MailedLink title={title} query={reading(getPasswordReset, { params: { token } })} dead={<Dead />}>
      {(person, onProblem) => (
        <ResetForm token={token} person={person} onDone={() => setDone(true)} onProblem={onProblem} />
      )}
    </MailedLink>
  );
}

const Done = () => (
  <CentredPage title="Your password is set" lead="You are signed out everywhere. Sign in with the new password.">
    <ButtonLink to="/sign-in">Sign in</ButtonLink>
  </CentredPage>
);

const Dead = () => (
  <CentredPage
    title="This link no longer works"
    lead="It was already used, has expired or was replaced by a newer one."
  >
    <ButtonLink to="/forgot">Request a new link</ButtonLink>
  </CentredPage>
);

interface ResetFormProps {
  readonly token: string;
  readonly person: Person;
  readonly onDone: () => void;
  readonly onProblem: OnProblem;
}

function ResetForm({ token, person, onDone, onProblem }: ResetFormProps) {
  const words = [person.name, person.email];
  const { form, errors, problem, isSending } = useForm({
    rules: { password: newPasswordRule(words) },
    send: (body) => call(resetPassword, { params: { token }, body }),
    onDone,
    onProblem,
  });
  return (
    <CentredPage title={title} lead="This signs you out everywhere.">
      <Form
        {...form}
        problem={problem}
        actions={
          <Button type="submit" look="primary" size="wide" isBusy={isSending}>
            Set password
          </Button>
        }
      >
        <GivenEmail email={person.email} />
        <NewPasswordField name="password" label="New password" words={words} error={errors.password} />
      </Form>
    </CentredPage>
  );
}
