import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { useMe } from '../../server/session.ts';
import { toast } from '../../state/toasts.ts';
import { focusWhenLost } from '../../ui/focus.ts';
import type { UserDialogProps } from './UserDialog.tsx';
import { change, useRefreshUsers } from './user-changes.ts';

export function DeactivateDialog({ user, onClose }: UserDialogProps) {
  const refresh = useRefreshUsers();
  const isMyself = useMe().user.id === user.id;
  const { form, problem, isSending } = useForm({
    rules: {},
    send: () => change(user, [{ op: 'replace', path: '/status', value: 'DEACTIVATED' }]),
    onDone: () => {
      onClose();
      toast(`${user.name} is deactivated and signed out everywhere.`);
      return refresh().then(focusWhenLost);
    },
  });
  return (
    <FormModal
      kind="alert"
      title={isMyself ? 'Deactivate yourself?' : `Deactivate ${user.name}?`}
      about={
        isMyself
          ? 'You are signed out everywhere immediately. Only another administrator can activate you again.'
          : `${user.email} is signed out everywhere immediately and can no longer sign in. Groups, changes and API keys are kept. You can activate this person again.`
      }
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Deactivate"
      look="danger-fill"
      onClose={onClose}
    />
  );
}
