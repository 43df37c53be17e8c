import { useState } from 'react';
import type { UserAnswer } from '../../administration/whole-lists.ts';
import { useMe } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Expiry } from '../../ui/Time.tsx';
import styles from './StatusCard.module.css';
import { UserDialog, type UserDialogName } from './UserDialog.tsx';
import { useDeactivationRefusal, useQuickChanges, useWaitingInvitation } from './user-changes.ts';

interface Props {
  readonly user: UserAnswer;
}

/** The user's status and how to change it. */
export function StatusCard({ user }: Props) {
  if (user.status === 'PENDING') return <PendingCard user={user} />;
  return user.status === 'ACTIVE' ? <ActiveCard user={user} /> : <DeactivatedCard user={user} />;
}

function PendingCard({ user }: Props) {
  const mail = useWaitingInvitation()(user.email);
  const { sendsMail } = useMe();
  const { resending } = useQuickChanges(user);
  const [open, setOpen] = useState<UserDialogName>();
  return (
    <Card
      title="Invitation"
      lead={
        mail ? (
          <>
            {sendsMail ? 'Not emailed yet.' : 'This server sends no mail.'} The link <Expiry at={mail.expiresAt} />.
            Give it only to this person: it works once.
          </>
        ) : (
          'The link was emailed and is not stored. Sending it again creates a new one.'
        )
      }
    >
      <div className={styles.actions}>
        {mail && <CopyButton text={location.origin + mail.path} what={`link for ${user.email}`} shown="link" />}
        <Button size="small" isBusy={resending.isPending} onClick={() => resending.mutate()}>
          {sendsMail ? 'Send again' : 'Create a new link'}
        </Button>
        <Button size="small" look="danger" onClick={() => setOpen('withdraw')}>
          Withdraw
        </Button>
      </div>
      {open && <UserDialog name={open} user={user} onClose={() => setOpen(undefined)} />}
    </Card>
  );
}

function ActiveCard({ user }: Props) {
  const refusal = useDeactivationRefusal(user);
  const [open, setOpen] = useState<UserDialogName>();
  return (
    <Card
      title="Deactivate"
      lead={
        refusal ??
        'You cannot delete active people, because their changes stay attributed to them. Deactivating signs them out and blocks sign-in.'
      }
    >
      {refusal === undefined && (
        <div>
          <Button look="danger" onClick={() => setOpen('deactivate')}>
            Deactivate
          </Button>
        </div>
      )}
      {open && <UserDialog name={open} user={user} onClose={() => setOpen(undefined)} />}
    </Card>
  );
}

function DeactivatedCard({ user }: Props) {
  const { activating } = useQuickChanges(user);
  return (
    <Card title="Deactivated" lead="This person cannot sign in. Groups and password are kept.">
      <div>
        <Button isBusy={activating.isPending} onClick={() => activating.mutate()}>
          Activate
        </Button>
      </div>
    </Card>
  );
}
