import { useNavigate } from '@tanstack/react-router';
import { createGroup } from '#contract/groups.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { toast } from '../../state/toasts.ts';
import { Field } from '../../ui/Field.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { groupNameRule, useRefreshGroups } from './groups-changes.ts';

export function NewGroupDialog({ onClose }: { readonly onClose: () => void }) {
  const refresh = useRefreshGroups();
  const navigate = useNavigate();
  const { form, errors, problem, isSending } = useForm({
    rules: { name: groupNameRule, description: {} },
    send: ({ name, description }) => call(createGroup, { body: { name: name.trim(), description } }),
    onDone: async ({ id, name }) => {
      toast(`Created ${name}. Now add its members.`);
      await navigate({ to: '/admin/groups/$group', params: { group: id } });
      await refresh();
    },
  });
  return (
    <FormModal
      title="New group"
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Create group"
      onClose={onClose}
    >
      <Field name="name" label="Name" maxLength={255} error={errors.name} autoComplete="off" autoFocus />
      <TextArea
        name="description"
        label="Description"
        aside={<small>optional</small>}
        rows={2}
        maxLength={2000}
        error={errors.description}
      />
    </FormModal>
  );
}
