import { useState } from 'react';
import { patchEnvironment } from '#contract/environments.ts';
import { environmentNameLimit } from '#domain/environments.ts';
import type { Operation } from '#domain/json-patch.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { environmentNameRule, useRefreshEverything } from './environment-changes.ts';

interface Props {
  readonly environment: Environment;
  readonly onClose: () => void;
}

export function EditEnvironmentDialog({ environment, onClose }: Props) {
  const project = useProject();
  const refresh = useRefreshEverything();
  const [isProduction, setProduction] = useState(environment.production);
  const { form, errors, problem, isSending } = useForm({
    rules: { name: environmentNameRule },
    send: async ({ name }) => {
      const operations: Operation[] = [];
      if (name.trim() !== environment.name) operations.push({ op: 'replace', path: '/name', value: name.trim() });
      if (isProduction !== environment.production) {
        operations.push({ op: 'replace', path: '/production', value: isProduction });
      }
      const params = { project: project.id, environment: environment.id };
      if (operations.length > 0) await call(patchEnvironment, { params, body: operations });
    },
    onDone: () => {
      onClose();
      toast('Saved.');
      return refresh();
    },
  });
  return (
    <FormModal
      title={`Edit ${environment.name}`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Save"
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        defaultValue={environment.name}
        maxLength={environmentNameLimit}
        hint="API keys and links keep working. Update scripts that use the old name."
        error={errors.name}
        autoComplete="off"
        autoFocus
      />
      <Checkbox
        label="Production"
        hint="Marked in amber everywhere. This does not change what anyone gets."
        checked={isProduction}
        onChange={({ target }) => setProduction(target.checked)}
      />
    </FormModal>
  );
}
