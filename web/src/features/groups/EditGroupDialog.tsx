import { replaceGroup } from '#contract/groups.ts';
import type { GroupAnswer } from '../../administration/whole-lists.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { toast } from '../../state/toasts.ts';
import { Field } from '../../ui/Field.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { groupNameRule, isProtected, useRefreshGroups } from './groups-changes.ts';

interface Props {
  readonly group: GroupAnswer;
  readonly onClose: () => void;
}

export function EditGroupDialog({ group, onClose }: Props) {
  const refresh = useRefreshGroups();
  const { form, errors, problem, isSending } = useForm({
    rules: { name: groupNameRule, description: {} },
    send: ({ name, description }) =>
      call(replaceGroup, { params: { group: group.id }, body: { name: name.trim(), description } }),
    onDone: () => {
      onClose();
      toast('Saved.');
      return refresh();
    },
  });
  return (
    <FormModal
      title={`Edit ${group.name}`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Save"
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        defaultValue={group.name}
        maxLength={255}
        readOnly={isProtected(group)}
        hint={isProtected(group) ? 'You cannot rename this group.' : undefined}
        error={errors.name}
        autoComplete="off"
        autoFocus={!isProtected(group)}
      />
      <TextArea
        name="description"
        label="Description"
        rows={2}
        maxLength={2000}
        defaultValue={group.description}
        error={errors.description}
        autoFocus={isProtected(group)}
      />
    </FormModal>
  );
}
