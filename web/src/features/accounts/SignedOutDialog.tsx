import { useState } from 'react';
import { useMe } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Modal, ModalBody } from '../../ui/Modal.tsx';
import { CodeForm, type Credentials } from './CodeForm.tsx';
import { PasswordForm } from './PasswordForm.tsx';

/** Signs in again over the open page, which stays as it was; pending requests then continue. */
export function SignedOutDialog({ onLeave }: { readonly onLeave: () => void }) {
  const { user } = useMe();
  const [credentials, setCredentials] = useState<Credentials>();
  const [byRecoveryCode, setByRecoveryCode] = useState(false);
  return (
    <Modal
      title="Sign in again"
      about="Your session has ended. This page and your unsaved changes are kept."
      kind="alert"
      size="narrow"
      onClose={() => undefined}
    >
      <ModalBody>
        {credentials ? (
          <CodeForm key={String(byRecoveryCode)} credentials={credentials} byRecoveryCode={byRecoveryCode} />
        ) : (
          <PasswordForm email={user.email} onCodeRequired={setCredentials} />
        )}
        {credentials && (
          <Button look="link" onClick={() => setByRecoveryCode(!byRecoveryCode)}>
            {byRecoveryCode ? 'Use a code from your app' : 'Use a recovery code'}
          </Button>
        )}
        <Button look="link" onClick={onLeave}>
          Leave this page and sign in as someone else
        </Button>
      </ModalBody>
    </Modal>
  );
}
