import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createApiKey, listApiKeys } from '#contract/api-keys.ts';
import { listChanges } from '#contract/changes.ts';
import type { Role } from '#domain/access.ts';
import { type ApiKeyType, apiKeyTypes } from '#domain/api-keys.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { type Answer, call, keyOf } from '../../server/api.ts';
import { useLikelyProject } from '../../server/project.ts';
import { Choices, Radio } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { CreatedKey } from './CreatedKey.tsx';
import { ExpiryField, endOf, expiryRule } from './key-expiry.tsx';
import { nameRule, types } from './key-words.ts';
import { RoleFields } from './RoleFields.tsx';
import { type Scope, ScopeFields, scopeOf, scopeRule } from './ScopeFields.tsx';

/** Starts from the least access; then shows the key, once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const likely = useLikelyProject();
  const [type, setType] = useState<ApiKeyType>('admin');
  const [roles, setRoles] = useState<readonly Role[]>([]);
  const [scope, setScope] = useState<Scope>({ width: 'account', project: undefined, environments: [] });
  const [created, setCreated] = useState<Answer<typeof createApiKey>>();
  // Defaults to the project visited last.
  const chosen: Scope = { ...scope, project: scope.project ?? likely?.id };

  const { form, errors, problem, isSending } = useForm({
    rules: {
      name: nameRule,
      roles: { check: () => (type === 'admin' && roles.length === 0 ? 'Choose at least one role.' : undefined) },
      scope: scopeRule(type, chosen),
      lastDay: expiryRule,
    },
    send: ({ name, lastDay }) =>
      call(createApiKey, {
        body: {
          name: name.trim(),
          apiKeyType: type,
          ...(type === 'admin' ? { roles: [...roles] } : {}),
          ...scopeOf(type, chosen),
          ...(lastDay === '' ? {} : { expiresAt: endOf(lastDay) ?? 0 }),
        },
      }),
    onDone: (answer) => {
      setCreated(answer);
      return Promise.all([
        client.invalidateQueries({ queryKey: keyOf(listApiKeys) }),
        client.invalidateQueries({ queryKey: keyOf(listChanges) }),
      ]);
    },
  });
  if (created) return <CreatedKey created={created} onClose={onClose} />;
  return (
    <FormModal
      title="New API key"
      size="normal"
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Create key"
      aside="The key is shown once."
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        hint="Shown next to every change made with it."
        maxLength={100}
        error={errors.name}
        autoComplete="off"
        autoFocus
      />
      <Choices label="Type">
        {apiKeyTypes.map((one) => (
          <Radio
            key={one}
            name="type"
            label={types[one].label}
            hint={types[one].hint}
            checked={type === one}
            onChange={() => setType(one)}
          />
        ))}
      </Choices>
      {type === 'admin' && <RoleFields roles={roles} onChange={setRoles} error={errors.roles} />}
      <ScopeFields type={type} scope={chosen} onChange={setScope} error={errors.scope} />
      <ExpiryField error={errors.lastDay} />
    </FormModal>
  );
}
