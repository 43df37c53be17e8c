import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { offerTwoFactor } from '#contract/accounts.ts';
import type { Reply } from '#contract/endpoint.ts';
import type { SessionView } from '#domain/accounts.ts';
import { call } from '../../api.ts';
import type { ApiProblem } from '../../api-problem.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { useFocusOnClose } from '../../ui/focus.ts';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { TwoFactorConfirm } from './TwoFactorConfirm.tsx';
import { TwoFactorRemove } from './TwoFactorRemove.tsx';

const title = 'Second factor';
const lead = 'Signing in then also asks for a code from your authenticator app, so a stolen password is not enough.';

/** Off, being switched on, just switched on, or on. */
export function TwoFactorCard({ user }: { readonly user: SessionView['user'] }) {
  const [codes, setCodes] = useState<readonly string[]>();
  const offer = useMutation<Reply<typeof offerTwoFactor>, ApiProblem>({ mutationFn: () => call(offerTwoFactor) });
  const opener = useFocusOnClose<HTMLButtonElement>(offer.data !== undefined);
  if (codes) {
    return (
      <Card title={title} aside={<Chip kind="ok">On</Chip>}>
        <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />
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
  if (offer.data) {
    const confirmed = (recoveryCodes: readonly string[]) => {
      setCodes(recoveryCodes);
      offer.reset();
    };
    return (
      <Card title={title} aside={<Chip>Off</Chip>}>
        <TwoFactorConfirm offer={offer.data} onConfirmed={confirmed} onCancel={offer.reset} />
      </Card>
    );
  }
  return (
    <Card title={title} aside={<Chip>Off</Chip>} lead={lead}>
      {offer.error && <Failure problem={offer.error} />}
      <div>
        <Button ref={opener} isBusy={offer.isPending} onClick={() => offer.mutate()}>
          Set up
        </Button>
      </div>
    </Card>
  );
}
