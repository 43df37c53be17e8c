import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { removeTwoFactor } from '#contract/accounts.ts';
import { call } from '../../server/api.ts';
import { updateSession } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { useFocusOnClose } from '../../ui/focus.ts';
import { ProofForm } from './ProofForm.tsx';

export function TwoFactorRemove({ email }: { readonly email: string }) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const opener = useFocusOnClose<HTMLButtonElement>(isAsking);
  if (isAsking) {
    return (
      <ProofForm
        email={email}
        hint="Your password alone then signs you in, and the recovery codes stop working."
        submit="Turn off the second factor"
        look="danger"
        send={(body) => call(removeTwoFactor, { body })}
        onDone={() => updateSession(client)}
        onCancel={() => setAsking(false)}
      />
    );
  }
  return (
    <div>
      <Button ref={opener} look="danger" onClick={() => setAsking(true)}>
        Turn off
      </Button>
    </div>
  );
}
