import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { copyProject } from '#contract/projects.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { projectNameRule, useRefreshProjects } from './project-changes.ts';

export function CopyProjectCard() {
  const [isAsking, setAsking] = useState(false);
  return (
    <Card
      title="Copy"
      lead="Creates a project with the same environments, access lists, rollout statuses, traffic types, attributes and flag sets."
    >
      <div>
        <Button onClick={() => setAsking(true)}>Copy project</Button>
      </div>
      {isAsking && <CopyProjectDialog onClose={() => setAsking(false)} />}
    </Card>
  );
}

function CopyProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const navigate = useNavigate();
  const refresh = useRefreshProjects();
  const [hasFlags, setFlags] = useState(true);
  const { form, errors, problem, isSending } = useForm({
    rules: { name: projectNameRule },
    send: ({ name }) =>
      call(copyProject, { params: { project: project.id }, body: { name: name.trim(), flags: hasFlags } }),
    onDone: async ({ name }) => {
      await refresh();
      toast(`Created ${name} as a copy of ${project.name}.`);
      await navigate({ to: '/p/$project/flags', params: { project: name } });
    },
  });
  return (
    <FormModal
      title={`Copy ${project.name}`}
      about="API keys are not copied. Segments are not copied: until you create them, nobody is in them."
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Copy project"
      onClose={onClose}
    >
      <Field name="name" label="Name" maxLength={255} error={errors.name} autoComplete="off" autoFocus />
      <Checkbox
        label="With its flags"
        hint="With their definitions in every environment, and buckets of their own. Archived flags are left out."
        checked={hasFlags}
        onChange={({ target }) => setFlags(target.checked)}
      />
    </FormModal>
  );
}
