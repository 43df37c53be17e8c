import type { Operation } from '#domain/json-patch.ts';
import { sentence } from '../../kit/explain.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { toast } from '../../state/toasts.ts';
import { Field } from '../../ui/Field.tsx';
import type { UserDialogProps } from './UserDialog.tsx';
import { change, useRefreshUsers } from './user-changes.ts';

const nameRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter a name.' : undefined),
  claim: (complaint) => (complaint.startsWith('name ') ? sentence(complaint) : undefined),
};
const emailRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter an email address.' : undefined),
  claim: (complaint, { status }) => {
    if (complaint.startsWith('email ')) return 'Not a valid email address.';
    return status === 409 ? 'Someone else has this address.' : undefined;
  },
};

export function EditUserDialog({ user, onClose }: UserDialogProps) {
  const refresh = useRefreshUsers();
  const { form, errors, problem, isSending } = useForm({
    rules: { name: nameRule, email: emailRule },
    send: (values) => {
      const operations = (['name', 'email'] as const)
        .filter((field) => values[field].trim() !== user[field])
        .map((field): Operation => ({ op: 'replace', path: `/${field}`, value: values[field].trim() }));
      return operations.length === 0 ? Promise.resolve(user) : change(user, operations);
    },
    onDone: () => {
      onClose();
      toast('Saved.');
      return refresh();
    },
  });
  return (
    <FormModal
      title={`Edit ${user.name}`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Save"
      onClose={onClose}
    >
      <Field name="name" label="Name" defaultValue={user.name} maxLength={255} error={errors.name} autoFocus />
      <Field
        name="email"
        label="Email"
        type="email"
        defaultValue={user.email}
        maxLength={254}
        error={errors.email}
        hint="This person signs in with it from now on."
      />
    </FormModal>
  );
}
