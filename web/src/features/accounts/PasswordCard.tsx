import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changePassword, listSessions } from '#contract/accounts.ts';
import type { SessionView } from '#domain/accounts.ts';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { call, reading } from '../../server/api.ts';
import { beginSession } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { useFocusOnClose, useFocusOnOpen } from '../../ui/focus.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { currentPasswordRule, newPasswordRule } from './fields.ts';
import { NewPasswordField } from './NewPasswordField.tsx';
import styles from './TwoFactor.module.css';
import { Username } from './Username.tsx';

type Step = 'closed' | 'open' | 'changed';

export function PasswordCard({ user }: { readonly user: SessionView['user'] }) {
  const [step, setStep] = useState<Step>('closed');
  const opener = useFocusOnClose<HTMLButtonElement>(step === 'open');
  return (
    <Card title="Password" lead="Changing it signs you out everywhere else.">
      {step === 'changed' && <Notice kind="ok">Password changed. You are signed out everywhere else.</Notice>}
      {step === 'open' ? (
        <ChangeForm user={user} onChanged={() => setStep('changed')} onCancel={() => setStep('closed')} />
      ) : (
        <div>
          <Button ref={opener} onClick={() => setStep('open')}>
            Change password
          </Button>
        </div>
      )}
    </Card>
  );
}

interface ChangeFormProps {
  readonly user: SessionView['user'];
  readonly onChanged: () => void;
  readonly onCancel: () => void;
}

function ChangeForm({ user, onChanged, onCancel }: ChangeFormProps) {
  const client = useQueryClient();
  const input = useFocusOnOpen<HTMLInputElement>();
  const words = [user.name, user.email];
  const { form, errors, problem, isSending } = useForm({
    rules: { current: currentPasswordRule, next: newPasswordRule(words) },
    send: (body) => call(changePassword, { body }),
    onDone: (session) => {
      onChanged();
      beginSession(client, session);
      return client.invalidateQueries(reading(listSessions));
    },
  });
  return (
    <div className={styles.narrow}>
      <Form
        {...form}
        problem={problem}
        actions={
          <>
            <Button type="submit" look="primary" isBusy={isSending}>
              Change password
            </Button>
            <Button look="quiet" onClick={onCancel}>
              Cancel
            </Button>
          </>
        }
      >
        <Username email={user.email} />
        <PasswordField
          name="current"
          label="Current password"
          autoComplete="current-password"
          error={errors.current}
          ref={input}
        />
        <NewPasswordField name="next" label="New password" words={words} error={errors.next} />
      </Form>
    </div>
  );
}
