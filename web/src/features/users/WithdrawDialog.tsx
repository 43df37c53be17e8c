import { useNavigate } from '@tanstack/react-router';
import { deleteUser } from '#contract/users.ts';
import { LostRights } from '../../administration/GrantedRights.tsx';
import { RemoveModal } from '../../administration/RemoveModal.tsx';
import { call } from '../../server/api.ts';
import type { UserDialogProps } from './UserDialog.tsx';
import { useRefreshUsers } from './user-changes.ts';

export function WithdrawDialog({ user, onClose }: UserDialogProps) {
  const refresh = useRefreshUsers();
  const navigate = useNavigate();
  const leave = async () => {
    // Leaves the deleted user's page; has no effect on the list.
    await navigate({ to: '/admin/users', search: true });
    await refresh();
  };
  return (
    <RemoveModal
      title={`Withdraw the invitation for ${user.email}?`}
      about="The link stops working immediately. You can invite this address again later."
      submit="Withdraw invitation"
      send={() => call(deleteUser, { params: { user: user.id } })}
      done={`Withdrew the invitation for ${user.email}.`}
      refresh={leave}
      onClose={onClose}
    >
      <LostRights grantee={{ type: 'user', id: user.id }} />
    </RemoveModal>
  );
}
