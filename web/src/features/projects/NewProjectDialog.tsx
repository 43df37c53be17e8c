import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createProject } from '#contract/projects.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { toast } from '../../state/toasts.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { noteHint, projectNameRule, useRefreshProjects } from './project-changes.ts';

/** A project starts without environments, so this continues on its environments page. */
export function NewProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const refresh = useRefreshProjects();
  const [isRequired, setRequired] = useState(false);
  const { form, errors, problem, isSending } = useForm({
    rules: { name: projectNameRule },
    send: ({ name }) => call(createProject, { body: { name: name.trim(), requiresTitleAndComments: isRequired } }),
    onDone: async ({ name }) => {
      await refresh();
      toast(`Created ${name}. Now create its environments.`);
      await navigate({ to: '/p/$project/environments', params: { project: name } });
    },
  });
  return (
    <FormModal
      title="New project"
      about="It starts with the traffic type user and the default rollout statuses, open to everyone."
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Create project"
      onClose={onClose}
    >
      <Field name="name" label="Name" maxLength={255} error={errors.name} autoComplete="off" autoFocus />
      <Checkbox
        label="Require a title and a comment for every change"
        hint={noteHint}
        checked={isRequired}
        onChange={({ target }) => setRequired(target.checked)}
      />
    </FormModal>
  );
}
