import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { toast } from '../../state/toasts.ts';
import type { UserDialogProps } from './UserDialog.tsx';
import { change, useRefreshUsers } from './user-changes.ts';

/** For somebody who has lost the phone and the recovery codes. */
export function SecondFactorDialog({ user, onClose }: UserDialogProps) {
  const refresh = useRefreshUsers();
  const { form, problem, isSending } = useForm({
    rules: {},
    send: () => change(user, [{ op: 'replace', path: '/2fa', value: false }]),
    onDone: () => {
      onClose();
      toast(`The second factor of ${user.name} is off.`);
      return refresh();
    },
  });
  return (
    <FormModal
      kind="alert"
      title={`Switch off the second factor of ${user.name}?`}
      about="From then on the password alone signs this person in, and the recovery codes are void. Only they can switch it on again, on their own page."
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Switch off"
      look="danger-fill"
      onClose={onClose}
    />
  );
}
