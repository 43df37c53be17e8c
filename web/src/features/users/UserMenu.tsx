import { Ellipsis, Link2, Pencil, RotateCcw, Send, ShieldOff, UserMinus, UsersRound, UserX } from 'lucide-react';
import { useState } from 'react';
import type { UserAnswer } from '../../administration/whole-lists.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { Menu, MenuItem, MenuLine } from '../../ui/Menu.tsx';
import { UserDialog, type UserDialogName } from './UserDialog.tsx';
import { useDeactivationRefusal, useQuickChanges, useWaitingInvitation } from './user-changes.ts';

interface Props {
  readonly user: UserAnswer;
}

/** An administrator's actions for a user, by status. */
export function UserMenu({ user }: Props) {
  const [open, setOpen] = useState<UserDialogName>();
  return (
    <>
      <Menu
        label={`More about ${user.name}`}
        trigger={(trigger) => (
          <Button look="quiet" size="icon" aria-label={`More about ${user.name}`} {...trigger}>
            <Ellipsis size={15} aria-hidden />
          </Button>
        )}
      >
        {user.status === 'PENDING' && <PendingItems user={user} onOpen={setOpen} />}
        {user.status === 'ACTIVE' && <ActiveItems user={user} onOpen={setOpen} />}
        {user.status === 'DEACTIVATED' && <DeactivatedItems user={user} onOpen={setOpen} />}
      </Menu>
      {open && <UserDialog name={open} user={user} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface ItemsProps extends Props {
  readonly onOpen: (name: UserDialogName) => void;
}

function PendingItems({ user, onOpen }: ItemsProps) {
  const mail = useWaitingInvitation()(user.email);
  const { resending } = useQuickChanges(user);
  const copy = () =>
    void copyText(location.origin + (mail?.path ?? '')).then(() =>
      toast(`Copied. The link works once: give it only to ${user.email}.`),
    );
  return (
    <>
      <MenuItem
        icon={Link2}
        refusal={mail ? undefined : 'It was emailed and is not stored. Send it again for a new one.'}
        onSelect={copy}
      >
        Copy invitation link
      </MenuItem>
      <MenuItem icon={Send} onSelect={resending.mutate}>
        Send again
      </MenuItem>
      <MenuItem icon={UsersRound} onSelect={() => onOpen('groups')}>
        Change groups
      </MenuItem>
      <MenuLine />
      <MenuItem icon={UserX} look="danger" onSelect={() => onOpen('withdraw')}>
        Withdraw invitation
      </MenuItem>
    </>
  );
}

function ActiveItems({ user, onOpen }: ItemsProps) {
  const refusal = useDeactivationRefusal(user);
  return (
    <>
      <EditItems onOpen={onOpen} />
      {user['2fa'] && (
        <MenuItem icon={ShieldOff} onSelect={() => onOpen('second factor')}>
          Turn off second factor
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem icon={UserMinus} look="danger" refusal={refusal} onSelect={() => onOpen('deactivate')}>
        Deactivate
      </MenuItem>
    </>
  );
}

function DeactivatedItems({ user, onOpen }: ItemsProps) {
  const { activating } = useQuickChanges(user);
  return (
    <>
      <MenuItem icon={RotateCcw} onSelect={activating.mutate}>
        Activate
      </MenuItem>
      <EditItems onOpen={onOpen} />
    </>
  );
}

const EditItems = ({ onOpen }: Pick<ItemsProps, 'onOpen'>) => (
  <>
    <MenuItem icon={Pencil} onSelect={() => onOpen('edit')}>
      Edit name and email
    </MenuItem>
    <MenuItem icon={UsersRound} onSelect={() => onOpen('groups')}>
      Change groups
    </MenuItem>
  </>
);
