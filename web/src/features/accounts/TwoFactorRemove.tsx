import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { removeTwoFactor } from '#contract/accounts.ts';
import { call } from '../../api.ts';
import { useForm } from '../../form.ts';
import { updateSession } from '../../session.ts';
import { Button } from '../../ui/Button.tsx';
import { Form } from '../../ui/Form.tsx';
import { useFocusOnClose, useFocusOnOpen } from '../../ui/focus.ts';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { Username } from '../../ui/Username.tsx';
import { currentPasswordRule } from './fields.ts';
import styles from './TwoFactor.module.css';

export function TwoFactorRemove({ email }: { readonly email: string }) {
  const [isAsking, setAsking] = useState(false);
  const opener = useFocusOnClose<HTMLButtonElement>(isAsking);
  if (isAsking) return <RemoveForm email={email} onCancel={() => setAsking(false)} />;
  return (
    <div>
      <Button ref={opener} look="danger" onClick={() => setAsking(true)}>
        Switch off
      </Button>
    </div>
  );
}

interface RemoveFormProps {
  readonly email: string;
  readonly onCancel: () => void;
}

function RemoveForm({ email, onCancel }: RemoveFormProps) {
  const client = useQueryClient();
  const input = useFocusOnOpen<HTMLInputElement>();
  const { form, errors, problem, isSending } = useForm({
    rules: { password: currentPasswordRule },
    send: (body) => call(removeTwoFactor, { body }),
    onDone: () => updateSession(client),
  });
  return (
    <div className={styles.narrow}>
      <Form
        {...form}
        problem={problem}
        actions={
          <>
            <Button type="submit" look="danger" isBusy={isSending}>
              Switch off the second factor
            </Button>
            <Button look="quiet" onClick={onCancel}>
              Cancel
            </Button>
          </>
        }
      >
        <Username email={email} />
        <PasswordField
          name="password"
          label="Your password"
          autoComplete="current-password"
          hint="From then on the password alone signs you in. The recovery codes are void."
          error={errors.password}
          ref={input}
        />
      </Form>
    </div>
  );
}
