import { useState } from 'react';
import { requestPasswordReset } from '#contract/accounts.ts';
import { resetLifeMs } from '#domain/accounts.ts';
import { hourMs } from '#domain/durations.ts';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { Button } from '../../ui/Button.tsx';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { Field } from '../../ui/Field.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { emailRule } from './fields.ts';

const hours = resetLifeMs / hourMs;

export function ForgotPage() {
  const [askedFor, setAskedFor] = useState<string>();
  return askedFor === undefined ? <AskForm onAsked={setAskedFor} /> : <Asked email={askedFor} />;
}

function AskForm({ onAsked }: { readonly onAsked: (email: string) => void }) {
  const { form, errors, problem, isSending } = useForm({
    rules: { email: emailRule },
    send: ({ email }) => call(requestPasswordReset, { body: { email: email.trim() } }),
    onDone: (_, { email }) => onAsked(email.trim()),
  });
  return (
    <CentredPage
      title="Reset your password"
      lead="You will get a link by email."
      below={<TextLink to="/sign-in">Back to sign in</TextLink>}
    >
      <Form
        {...form}
        problem={problem}
        actions={
          <Button type="submit" look="primary" size="wide" isBusy={isSending}>
            Send link
          </Button>
        }
      >
        <Field name="email" label="Email" type="email" autoComplete="username" maxLength={254} error={errors.email} />
      </Form>
    </CentredPage>
  );
}

/** The same text whether or not the address is known, so that nobody can find out who has an account. */
const Asked = ({ email }: { readonly email: string }) => (
  <CentredPage
    title="Check your email"
    lead={
      <>
        <p>
          If <strong>{email}</strong> has an account here, a link is on its way. It works once, for {hours} hours.
        </p>
        <p>No email? If no mail server is set up, an administrator can give you the link.</p>
      </>
    }
    below={<TextLink to="/sign-in">Back to sign in</TextLink>}
  />
);
