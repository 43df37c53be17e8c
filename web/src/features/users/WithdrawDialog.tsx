import { useNavigate } from '@tanstack/react-router';
import { deleteUser } from '#contract/users.ts';
import { focusWhenLost } from '../../administration/focus-when-lost.ts';
import { LostRights } from '../../administration/GrantedRights.tsx';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { toast } from '../../state/toasts.ts';
import type { UserDialogProps } from './UserDialog.tsx';
import { useRefreshUsers } from './user-changes.ts';

export function WithdrawDialog({ user, onClose }: UserDialogProps) {
  const refresh = useRefreshUsers();
  const navigate = useNavigate();
  const { form, problem, isSending } = useForm({
    rules: {},
    send: () => call(deleteUser, { params: { user: user.id } }),
    onDone: async () => {
      onClose();
      toast(`Withdrew the invitation for ${user.email}.`);
      // Leaves the deleted user's page; has no effect on the list.
      await navigate({ to: '/admin/users', search: true });
      await refresh().then(focusWhenLost);
    },
  });
  return (
    <FormModal
      kind="alert"
      title={`Withdraw the invitation for ${user.email}?`}
      about="The link stops working immediately. You can invite this address again later."
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Withdraw invitation"
      look="danger-fill"
      onClose={onClose}
    >
      <LostRights grantee={{ type: 'user', id: user.id }} />
    </FormModal>
  );
}
