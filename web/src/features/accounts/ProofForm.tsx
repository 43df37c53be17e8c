import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { Button } from '../../ui/Button.tsx';
import { useFocusOnOpen } from '../../ui/focus.ts';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { currentPasswordRule } from './fields.ts';
import styles from './TwoFactor.module.css';
import { Username } from './Username.tsx';

interface Props<Answer> {
  readonly email: string;
  readonly hint: string;
  readonly submit: string;
  readonly look: 'primary' | 'danger';
  readonly send: (body: { readonly password: string }) => Promise<Answer>;
  readonly onDone: (answer: Answer) => unknown;
  readonly onCancel: () => void;
  readonly cancel?: string;
}

/** Asks for the password again before actions that need more than a session. */
export function ProofForm<Answer>({
  email,
  hint,
  submit,
  look,
  send,
  onDone,
  onCancel,
  cancel = 'Cancel',
}: Props<Answer>) {
  const input = useFocusOnOpen<HTMLInputElement>();
  const { form, errors, problem, isSending } = useForm({ rules: { password: currentPasswordRule }, send, onDone });
  return (
    <div className={styles.narrow}>
      <Form
        {...form}
        problem={problem}
        actions={
          <>
            <Button type="submit" look={look} isBusy={isSending}>
              {submit}
            </Button>
            <Button look="quiet" onClick={onCancel}>
              {cancel}
            </Button>
          </>
        }
      >
        <Username email={email} />
        <PasswordField
          name="password"
          label="Your password"
          autoComplete="current-password"
          hint={hint}
          error={errors.password}
          ref={input}
        />
      </Form>
    </div>
  );
}
