import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { completeSetup, getSetup } from '#contract/accounts.ts';
import { Failure } from '../../kit/Failure.tsx';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { call, reading } from '../../server/api.ts';
import { beginSession } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { Field } from '../../ui/Field.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { ButtonLink } from '../../ui/TextLink.tsx';
import { emailRule, nameRule, newPasswordRule } from './fields.ts';
import { NewPasswordField } from './NewPasswordField.tsx';
import { SetupLinkHelp } from './SetupLinkHelp.tsx';

const title = 'Set up Burgee';

/** Creates the first administrator from the printed setup link. */
export function SetupPage() {
  const { token } = useSearch({ from: '/setup' });
  const setup = useQuery(reading(getSetup, { query: { token } }));
  if (setup.isPending) {
    return (
      <CentredPage title={title}>
        <Loading />
      </CentredPage>
    );
  }
  if (setup.error?.status === 404) return <CentredPage title="This link no longer works" lead={<SetupLinkHelp />} />;
  if (setup.isError) {
    return (
      <CentredPage title={title}>
        <Failure problem={setup.error} onRetry={setup.refetch} />
      </CentredPage>
    );
  }
  if (!setup.data.required) return <AlreadySetUp />;
  if (token === undefined) return <CentredPage title={title} lead={<SetupLinkHelp />} />;
  return <SetupForm token={token} />;
}

const AlreadySetUp = () => (
  <CentredPage title="This server is already set up" lead="Ask an administrator to invite you.">
    <ButtonLink to="/sign-in">Sign in</ButtonLink>
  </CentredPage>
);

function SetupForm({ token }: { readonly token: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const words = [name, email];
  const { form, errors, problem, isSending } = useForm({
    rules: { name: nameRule, email: emailRule, password: newPasswordRule(words) },
    send: (values) => call(completeSetup, { body: { token, ...values, name: values.name.trim() } }),
    onDone: (session) => {
      beginSession(client, session);
      return navigate({ to: '/welcome', replace: true });
    },
    onProblem: ({ status }) => {
      if (status !== 404) return false;
      // Someone else has set up the server in the meantime, or the link was replaced.
      void client.invalidateQueries(reading(getSetup));
      return true;
    },
  });
  return (
    <CentredPage title={title} lead="You will be the first administrator. You can invite others later.">
      <Form
        {...form}
        problem={problem}
        actions={
          <Button type="submit" look="primary" size="wide" isBusy={isSending}>
            Create administrator
          </Button>
        }
      >
        <Field
          name="name"
          label="Your name"
          autoComplete="name"
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={errors.name}
        />
        <Field
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          error={errors.email}
        />
        <NewPasswordField name="password" label="Password" words={words} error={errors.password} />
      </Form>
    </CentredPage>
  );
}
