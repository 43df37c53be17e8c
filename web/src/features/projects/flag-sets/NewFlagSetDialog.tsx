import { createFlagSet } from '#contract/flag-sets.ts';
import { patterns } from '#domain/schema.ts';
import { sentence } from '../../../kit/explain.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useRefreshFlagSets } from '../../../kit/flag-sets.ts';
import { type FieldRule, useForm } from '../../../kit/form.ts';
import { call } from '../../../server/api.ts';
import { useProject } from '../../../server/project.ts';
import { toast } from '../../../state/toasts.ts';
import { Field } from '../../../ui/Field.tsx';
import { TextArea } from '../../../ui/TextArea.tsx';

const allowed = new RegExp(patterns.flagSetName);

const nameRule: FieldRule = {
  check: (value) => {
    if (value.trim() === '') return 'Enter a name.';
    return allowed.test(value.trim()) ? undefined : 'Only lower-case letters, digits and _. Do not start with _.';
  },
  claim: (complaint, { status }) => {
    if (status === 409) return 'A flag set with this name already exists.';
    return complaint.startsWith('name ') ? sentence(complaint) : undefined;
  },
};

export function NewFlagSetDialog({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const refresh = useRefreshFlagSets();
  const { form, errors, problem, isSending } = useForm({
    rules: { name: nameRule, description: {} },
    send: ({ name, description }) =>
      call(createFlagSet, { body: { name: name.trim(), description, workspace: { id: project.id } } }),
    onDone: async ({ name }) => {
      onClose();
      toast(`Created ${name}. Add flags to it on their pages.`);
      await refresh();
    },
  });
  return (
    <FormModal
      title="New flag set"
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Create flag set"
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        face="name"
        hint="Programs use this name. You cannot change it later."
        maxLength={50}
        error={errors.name}
        autoFocus
      />
      <TextArea
        name="description"
        label="Description"
        aside={<small>optional</small>}
        hint="You cannot change it later either."
        rows={2}
        maxLength={2000}
      />
    </FormModal>
  );
}
