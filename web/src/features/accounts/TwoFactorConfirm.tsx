import { useQueryClient } from '@tanstack/react-query';
import { confirmTwoFactor, type offerTwoFactor } from '#contract/accounts.ts';
import type { Reply } from '#contract/endpoint.ts';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { updateSession } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { useFocusOnOpen } from '../../ui/focus.ts';
import { CodeField, codeRule, digitsOf } from './CodeField.tsx';
import styles from './TwoFactor.module.css';

interface Props {
  readonly offer: Reply<typeof offerTwoFactor>;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** Shows the secret for the app. A code from the app confirms that it was added. */
export function TwoFactorConfirm({ offer: { qr, secret }, onConfirmed, onCancel }: Props) {
  const client = useQueryClient();
  const start = useFocusOnOpen<HTMLParagraphElement>();
  const { form, errors, problem, isSending } = useForm({
    rules: { code: codeRule },
    send: ({ code }) => call(confirmTwoFactor, { body: { code: digitsOf(code) } }),
    onDone: ({ recoveryCodes }) => {
      onConfirmed(recoveryCodes);
      return updateSession(client);
    },
  });

  return (
    <div className={styles.setup}>
      <img
        className={styles.qr}
        src={`data:image/svg+xml,${encodeURIComponent(qr)}`}
        width={176}
        height={176}
        alt="QR code of the secret, also shown as text"
      />
      <div className={styles.steps}>
        <div className={styles.step}>
          <p ref={start} tabIndex={-1}>
            Scan the QR code with your authenticator app, or enter the secret:
          </p>
          <div className={styles.secret}>
            <code>{inFours(secret)}</code>
            <CopyButton text={secret} what="secret" />
          </div>
        </div>
        <Form
          {...form}
          problem={problem}
          actions={
            <>
              <Button type="submit" look="primary" isBusy={isSending}>
                Turn on
              </Button>
              <Button look="quiet" onClick={onCancel}>
                Cancel
              </Button>
            </>
          }
        >
          <div className={styles.code}>
            <CodeField error={errors.code} />
          </div>
        </Form>
      </div>
    </div>
  );
}

/** Groups of four are easier to type; apps ignore the spaces. */
const inFours = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
