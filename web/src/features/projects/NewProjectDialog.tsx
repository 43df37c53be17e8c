import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { createProject } from '#contract/projects.ts';
import { maxNewEnvironments } from '#domain/projects.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { type NewEnvironment, NewEnvironmentField } from './NewEnvironmentField.tsx';
import { noteHint, projectNameRule, useRefreshProjects } from './project-changes.ts';

const usual: readonly NewEnvironment[] = [
  { id: 'environment-1', name: 'Staging', production: false },
  { id: 'environment-2', name: 'Production', production: true },
];

/** Creates a project with its environments. Keys are created where code needs them. */
export function NewProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const refresh = useRefreshProjects();
  const [isRequired, setRequired] = useState(false);
  const [environments, setEnvironments] = useState(usual);
  const [offered, setOffered] = useState(usual.length);
  const addButton = useRef<HTMLButtonElement>(null);
  const ruleOf = (one: NewEnvironment) => ({
    check: () => {
      if (one.name.trim() === '') return 'Enter a name, or remove it.';
      const first = environments.find(({ name }) => name.trim() === one.name.trim());
      return first === one ? undefined : 'Another one above has this name.';
    },
  });
  const rules: Record<'name' | NewEnvironment['id'], FieldRule> = {
    name: projectNameRule,
    ...Object.fromEntries(environments.map((one) => [one.id, ruleOf(one)])),
  };
  const { form, errors, problem, isSending } = useForm({
    rules,
    send: ({ name }) => {
      const named = environments.map(({ name: one, production }) => ({ name: one.trim(), production }));
      return call(createProject, {
        body: { name: name.trim(), requiresTitleAndComments: isRequired, environments: named },
      });
    },
    onDone: async ({ name }) => {
      await refresh();
      toast(`Created ${name}.`);
      const to = environments.length > 0 ? '/p/$project/flags' : '/p/$project/environments';
      await navigate({ to, params: { project: name } });
    },
  });
  const add = () => {
    setOffered(offered + 1);
    setEnvironments([...environments, { id: `environment-${offered + 1}`, name: '', production: false }]);
  };
  return (
    <FormModal
      title="New project"
      about="It starts with the traffic type user and the default rollout statuses."
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Create project"
      onClose={onClose}
    >
      <Field name="name" label="Name" maxLength={255} error={errors.name} autoComplete="off" autoFocus />
      {environments.map((one, index) => (
        <NewEnvironmentField
          key={one.id}
          environment={one}
          number={index + 1}
          isNew={!usual.some(({ id }) => id === one.id)}
          error={errors[one.id]}
          onChange={(changed) => setEnvironments(environments.with(index, changed))}
          onRemove={() => {
            setEnvironments(environments.toSpliced(index, 1));
            addButton.current?.focus();
          }}
        />
      ))}
      <div>
        <Button
          size="small"
          ref={addButton}
          refusal={environments.length < maxNewEnvironments ? undefined : 'You can create more in the project.'}
          onClick={add}
        >
          <Plus size={14} aria-hidden /> Add environment
        </Button>
      </div>
      <Checkbox
        label="Require a title and a comment for every change"
        hint={noteHint}
        checked={isRequired}
        onChange={({ target }) => setRequired(target.checked)}
      />
    </FormModal>
  );
}
