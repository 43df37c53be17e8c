import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { acceptInvitation, getInvitation } from '#contract/accounts.ts';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { call, reading } from '../../server/api.ts';
import { beginSession } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { Field } from '../../ui/Field.tsx';
import { ButtonLink } from '../../ui/TextLink.tsx';
import { nameRule, newPasswordRule } from './fields.ts';
import { GivenEmail } from './GivenEmail.tsx';
import { MailedLink, type OnProblem, type Person } from './MailedLink.tsx';
import { NewPasswordField } from './NewPasswordField.tsx';

const title = 'Create your account';

export function InvitationPage() {
  const { token } = useParams({ from: '/invitations/$token' });
  return (
    <MailedLink title={title} query={reading(getInvitation, { params: { token } })} dead={<NotOpen />}>
      {(person, onProblem) => <AcceptForm token={token} person={person} onProblem={onProblem} />}
    </MailedLink>
  );
}

const NotOpen = () => (
  <CentredPage
    title="This invitation no longer works"
    lead="It was already used, has expired, was withdrawn or was replaced. Ask for a new one."
  >
    <ButtonLink to="/sign-in">Sign in</ButtonLink>
  </CentredPage>
);

const leadOf = ({ invitedBy }: Person): string =>
  `${invitedBy === undefined ? '' : `${invitedBy} invited you. `}Your team uses Burgee to control who sees which feature.`;

interface AcceptFormProps {
  readonly token: string;
  readonly person: Person;
  readonly onProblem: OnProblem;
}

function AcceptForm({ token, person, onProblem }: AcceptFormProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState(person.name);
  const words = [name, person.email];
  const { form, errors, problem, isSending } = useForm({
    rules: { name: nameRule, password: newPasswordRule(words) },
    send: (values) => call(acceptInvitation, { params: { token }, body: { ...values, name: values.name.trim() } }),
    onDone: (session) => {
      beginSession(client, session);
      return navigate({ to: '/', replace: true });
    },
    onProblem,
  });
  return (
    <CentredPage title={title} lead={leadOf(person)}>
      <Form
        {...form}
        problem={problem}
        actions={
          <Button type="submit" look="primary" size="wide" isBusy={isSending}>
            Create account
          </Button>
        }
      >
        <GivenEmail email={person.email} />
        <Field
          name="name"
          label="Your name"
          autoComplete="name"
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={errors.name}
        />
        <NewPasswordField name="password" label="Password" words={words} error={errors.password} />
      </Form>
    </CentredPage>
  );
}
