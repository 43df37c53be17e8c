import { submitChangeRequest } from '#contract/change-requests.ts';
import { countOf } from '../../administration/count.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { Field } from '../../ui/Field.tsx';
import type { KeysProps } from './StandardKeys.tsx';
import { useRefreshSegments } from './segments-query.ts';

/** Removes all keys of a large segment. In production, the name must be typed. */
export function RemoveAllKeysDialog({
  segment,
  environment,
  keyCount,
  onClose,
}: Pick<KeysProps, 'segment' | 'environment' | 'keyCount'> & { readonly onClose: () => void }) {
  const project = useProject();
  const isRequired = project.requiresTitleAndComments;
  const refresh = useRefreshSegments();
  const word: FieldRule = {
    check: (value) => (environment.production && value !== segment ? `Type ${segment} to confirm.` : undefined),
  };
  const { form, errors, problem, isSending } = useForm({
    rules: { word, ...noteRules(isRequired) },
    send: (values) => {
      const { title, comment } = noteOf(values);
      return call(submitChangeRequest, {
        params: { project: project.id, environment: environment.id },
        body: {
          largeSegment: { name: segment },
          operationType: 'ARCHIVE',
          ...(title === undefined ? {} : { title }),
          ...(comment === undefined ? {} : { comment }),
        },
      });
    },
    onDone: async ({ status }) => {
      onClose();
      toast(
        status === 'PUBLISHED'
          ? `Removed all keys from ${environment.name}.`
          : `Removing all keys from ${environment.name} waits for an approval.`,
      );
      await refresh();
    },
  });
  return (
    <FormModal
      kind="alert"
      title={`Remove all keys from ${environment.name}?`}
      about={`${segment} has ${countOf(keyCount, 'key')} there. Flags that use the segment follow. To get the keys back, upload the file again.`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Remove all keys"
      look="danger-fill"
      onClose={onClose}
    >
      {environment.production && (
        <Field name="word" label={`Type ${segment} to confirm`} face="name" error={errors.word} />
      )}
      {isRequired && <NoteFields isRequired title={`Remove all keys of ${segment}`} errors={errors} />}
    </FormModal>
  );
}
