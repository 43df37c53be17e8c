import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groupsReading } from '../../administration/whole-lists.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { toast } from '../../state/toasts.ts';
import { ChipsField } from '../../ui/ChipsField.tsx';
import { groupOperations } from './group-operations.ts';
import type { UserDialogProps } from './UserDialog.tsx';
import { change, useRefreshUsers } from './user-changes.ts';

export function UserGroupsDialog({ user, onClose }: UserDialogProps) {
  const refresh = useRefreshUsers();
  const groups = useQuery(groupsReading);
  // The groups when the dialog opened, despite refetches.
  const [before] = useState(() => (user.groups ?? []).map(({ id }) => id));
  const [selected, setSelected] = useState<readonly string[]>(before);
  const operations = groupOperations(before, selected);
  const { form, problem, isSending } = useForm({
    rules: {},
    send: () => (operations.length === 0 ? Promise.resolve(user) : change(user, operations)),
    onDone: () => {
      onClose();
      toast(`Saved the groups of ${user.name}.`);
      return refresh();
    },
  });
  return (
    <FormModal
      title={`Groups of ${user.name}`}
      about="Administrators have every right. Other groups give access to projects that are not open to everyone."
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Save"
      onClose={onClose}
    >
      <ChipsField
        label="Groups"
        options={(groups.data ?? []).map(({ id, name }) => ({ id, label: name }))}
        selected={selected}
        onChange={setSelected}
        add="Add group"
      />
    </FormModal>
  );
}
