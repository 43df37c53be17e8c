import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { toast } from '../../state/toasts.ts';
import type { UserDialogProps } from './UserDialog.tsx';
import { change, useRefreshUsers } from './user-changes.ts';

/** For someone who lost both phone and recovery codes. */
export function SecondFactorDialog({ user, onClose }: UserDialogProps) {
  const refresh = useRefreshUsers();
  const { form, problem, isSending } = useForm({
    rules: {},
    send: () => change(user, [{ op: 'replace', path: '/2fa', value: false }]),
    onDone: () => {
      onClose();
      toast(`Turned off the second factor for ${user.name}.`);
      return refresh();
    },
  });
  return (
    <FormModal
      kind="alert"
      title={`Turn off the second factor for ${user.name}?`}
      about="The password alone then signs this person in, and the recovery codes stop working. Only they can turn it on again, on their own page."
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Turn off"
      look="danger-fill"
      onClose={onClose}
    />
  );
}
