import { useState } from 'react';
import { offerTwoFactor } from '#contract/accounts.ts';
import type { Reply } from '#contract/endpoint.ts';
import type { SessionView } from '#domain/accounts.ts';
import { call } from '../../server/api.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { useFocusOnClose } from '../../ui/focus.ts';
import { ProofForm } from './ProofForm.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { TwoFactorConfirm } from './TwoFactorConfirm.tsx';
import { TwoFactorRemove } from './TwoFactorRemove.tsx';

const title = 'Second factor';
const lead =
  'With it, signing in also asks for a code from your authenticator app, so a stolen password is not enough.';

type Step =
  | { readonly kind: 'idle' | 'password' }
  | { readonly kind: 'offered'; readonly offer: Reply<typeof offerTwoFactor> }
  | { readonly kind: 'confirmed'; readonly codes: readonly string[] };

/** Off, being turned on, just turned on, or on. */
export function TwoFactorCard({ user }: { readonly user: SessionView['user'] }) {
  const [step, setStep] = useState<Step>({ kind: 'idle' });
  const stop = () => setStep({ kind: 'idle' });
  const opener = useFocusOnClose<HTMLButtonElement>(step.kind !== 'idle');
  if (step.kind === 'confirmed') {
    return (
      <Card title={title} aside={<Chip kind="ok">On</Chip>}>
        <RecoveryCodes codes={step.codes} onDone={stop} />
      </Card>
    );
  }
  if (user['2fa']) {
    return (
      <Card title={title} aside={<Chip kind="ok">On</Chip>} lead={lead}>
        <TwoFactorRemove email={user.email} />
      </Card>
    );
  }
  if (step.kind === 'offered') {
    return (
      <Card title={title} aside={<Chip>Off</Chip>}>
        <TwoFactorConfirm
          offer={step.offer}
          onConfirmed={(codes) => setStep({ kind: 'confirmed', codes })}
          onCancel={stop}
        />
      </Card>
    );
  }
  return (
    <Card title={title} aside={<Chip>Off</Chip>} lead={lead}>
      {step.kind === 'password' ? (
        <ProofForm
          email={user.email}
          hint="Confirms that it is you, not someone else at your browser."
          submit="Continue"
          look="primary"
          send={(body) => call(offerTwoFactor, { body })}
          onDone={(offer) => setStep({ kind: 'offered', offer })}
          onCancel={stop}
        />
      ) : (
        <div>
          <Button ref={opener} onClick={() => setStep({ kind: 'password' })}>
            Set up
          </Button>
        </div>
      )}
    </Card>
  );
}
