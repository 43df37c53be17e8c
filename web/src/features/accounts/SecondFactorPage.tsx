import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { offerTwoFactor, signOut } from '#contract/accounts.ts';
import type { Reply } from '#contract/endpoint.ts';
import { call } from '../../server/api.ts';
import { forgetSession } from '../../server/session.ts';
import { CentredPage } from '../../ui/CentredPage.tsx';
import { ProofForm } from './ProofForm.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { TwoFactorConfirm } from './TwoFactorConfirm.tsx';

interface Props {
  readonly email: string;
  /** When the recovery codes are saved. */
  readonly onDone: () => void;
}

/** The server requires a second factor, and the user has none. */
export function SecondFactorPage({ email, onDone }: Props) {
  const client = useQueryClient();
  const [offer, setOffer] = useState<Reply<typeof offerTwoFactor>>();
  const [codes, setCodes] = useState<readonly string[]>();
  const leaving = useMutation({ mutationFn: () => call(signOut), onSettled: () => forgetSession(client) });
  const leave = () => leaving.mutate();
  if (codes) {
    return (
      <CentredPage title="Your second factor is on">
        <RecoveryCodes codes={codes} onDone={onDone} />
      </CentredPage>
    );
  }
  return (
    <CentredPage
      title="Set up a second factor"
      lead="This server requires one. From now on, signing in also asks for a code from your authenticator app."
    >
      {offer ? (
        <TwoFactorConfirm offer={offer} onConfirmed={setCodes} onCancel={() => setOffer(undefined)} />
      ) : (
        <ProofForm
          email={email}
          hint="Confirms that it is you, not someone else at your browser."
          submit="Continue"
          look="primary"
          send={(body) => call(offerTwoFactor, { body })}
          onDone={setOffer}
          onCancel={leave}
          cancel="Sign out"
        />
      )}
    </CentredPage>
  );
}
