import { useQueryClient } from '@tanstack/react-query';
import { listApiKeys, updateApiKey } from '#contract/api-keys.ts';
import { listChanges } from '#contract/changes.ts';
import type { ApiKeyAnswer } from '../../administration/whole-lists.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call, keyOf } from '../../server/api.ts';
import { toast } from '../../state/toasts.ts';
import { Field } from '../../ui/Field.tsx';
import { ExpiryField, endOf, expiryRule, lastDayOf } from './key-expiry.tsx';
import { nameRule } from './key-words.ts';

interface Props {
  readonly apiKey: ApiKeyAnswer;
  readonly onClose: () => void;
}

export function EditKeyDialog({ apiKey, onClose }: Props) {
  const client = useQueryClient();
  const { id, name: before, expiresAt } = apiKey;
  const shown = lastDayOf(expiresAt);
  const { form, errors, problem, isSending } = useForm({
    // A day that has passed may stay.
    rules: {
      name: nameRule,
      lastDay: { check: (day, input) => (day === shown ? undefined : expiryRule.check?.(day, input)) },
    },
    send: ({ name, lastDay }) =>
      call(updateApiKey, {
        params: { key: id },
        body: { name: name.trim(), ...(lastDay !== shown && { expiresAt: endOf(lastDay) ?? null }) },
      }),
    onDone: () => {
      onClose();
      toast('Saved.');
      return Promise.all([listApiKeys, listChanges].map((one) => client.invalidateQueries({ queryKey: keyOf(one) })));
    },
  });
  return (
    <FormModal
      title={`Edit ${before}`}
      about="Type, roles and scope of a key cannot be changed."
      {...{ form, problem, isSending, onClose }}
      submit="Save"
    >
      <Field
        name="name"
        label="Name"
        defaultValue={before}
        maxLength={100}
        error={errors.name}
        autoComplete="off"
        autoFocus
      />
      <ExpiryField expiresAt={expiresAt} error={errors.lastDay} />
    </FormModal>
  );
}
