import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { CodeForm, type Credentials } from './CodeForm.tsx';

interface Props {
  readonly credentials: Credentials;
  readonly onBack: () => void;
}

/** Asks for a code after the password. */
export function SecondFactorStep({ credentials, onBack }: Props) {
  const [byRecoveryCode, setByRecoveryCode] = useState(false);
  return (
    <CentredPage
      title={byRecoveryCode ? 'Enter a recovery code' : 'Enter your code'}
      lead={
        byRecoveryCode
          ? 'One of the ten you saved when you turned on the second factor. Each works once.'
          : 'Open your authenticator app to get it.'
      }
      below={
        <>
          <Button look="link" onClick={() => setByRecoveryCode(!byRecoveryCode)}>
            {byRecoveryCode ? 'Use a code from your app' : 'Use a recovery code'}
          </Button>
          <Button look="link" onClick={onBack}>
            Sign in as someone else
          </Button>
        </>
      }
    >
      <CodeForm
        // Switching between the two kinds of code clears the field.
        key={String(byRecoveryCode)}
        credentials={credentials}
        byRecoveryCode={byRecoveryCode}
      />
    </CentredPage>
  );
}
