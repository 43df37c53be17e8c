import { useState } from 'react';
import { createEnvironment } from '#contract/environments.ts';
import { environmentNameLimit } from '#domain/environments.ts';
import { SecretsDialog } from '../../administration/SecretsDialog.tsx';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { type Answer, call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { environmentNameRule, useRefreshEverything } from './environment-changes.ts';

/** Creates an environment and shows its two SDK keys once. */
export function NewEnvironmentDialog({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const refresh = useRefreshEverything();
  const [isProduction, setProduction] = useState(false);
  const [created, setCreated] = useState<Answer<typeof createEnvironment>>();
  const { form, errors, problem, isSending } = useForm({
    rules: { name: environmentNameRule },
    send: ({ name }) =>
      call(createEnvironment, {
        params: { project: project.id },
        body: { name: name.trim(), production: isProduction },
      }),
    onDone: (environment) => {
      setCreated(environment);
      return refresh();
    },
  });
  if (created) {
    return (
      <SecretsDialog
        title={`Keys for ${created.name}`}
        about={`${created.name} is ready. These keys are for SDKs; the page API keys creates more and shows the code that uses them.`}
        secrets={created.apiTokens.map(({ apiKeyType, key = '' }) => ({
          name: keyNames[apiKeyType] ?? apiKeyType,
          text: key,
        }))}
        onClose={onClose}
      />
    );
  }
  return (
    <FormModal
      title="New environment"
      about={`In ${project.name}. It starts with no flags defined.`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Create environment"
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        maxLength={environmentNameLimit}
        hint={`At most ${environmentNameLimit} characters.`}
        error={errors.name}
        autoComplete="off"
        autoFocus
      />
      <Checkbox
        label="Production"
        hint="Marked in amber everywhere, so that nobody changes it by mistake."
        checked={isProduction}
        onChange={({ target }) => setProduction(target.checked)}
      />
    </FormModal>
  );
}

/** The API's names for the two key types. */
const keyNames: Readonly<Record<string, string>> = {
  browser: 'Client-side key, for browsers and apps',
  sdk: 'Server-side key, for your servers',
};
