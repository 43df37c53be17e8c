import { submitChangeRequest } from '#contract/change-requests.ts';
import { countOf } from '../../administration/count.ts';
import { proposedWords, usePropose } from '../../changesets/propose.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { Field } from '../../ui/Field.tsx';
import type { KeysProps } from './StandardKeys.tsx';
import { useRefreshSegments } from './segments-query.ts';

interface Props extends Pick<KeysProps, 'segment' | 'environment' | 'keyCount'> {
  /** To others, instead of removing them. */
  readonly isProposed: boolean;
  readonly onClose: () => void;
}

/** Removes all keys of a large segment, or proposes to. In production, the name must be typed. */
export function RemoveAllKeysDialog({ segment, environment, keyCount, isProposed, onClose }: Props) {
  const project = useProject();
  const isRequired = project.requiresTitleAndComments;
  const refresh = useRefreshSegments();
  const { openById } = usePropose();
  const mustType = environment.production && !isProposed;
  const word: FieldRule = {
    check: (value) => (mustType && value !== segment ? `Type ${segment} to confirm.` : undefined),
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
    onDone: async ({ id, status }) => {
      onClose();
      void refresh();
      if (status !== 'PUBLISHED') return openById(id, proposedWords({ status: 'REQUESTED' }));
      toast(`Removed all keys from ${environment.name}.`);
    },
  });
  return (
    <FormModal
      kind={isProposed ? 'dialog' : 'alert'}
      title={`${isProposed ? 'Propose to remove' : 'Remove'} all keys from ${environment.name}?`}
      about={`${segment} has ${countOf(keyCount, 'key')} there. Flags that use the segment follow. To get the keys back, upload the file again.`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit={isProposed ? 'Propose to remove all keys' : 'Remove all keys'}
      look={isProposed ? 'primary' : 'danger-fill'}
      onClose={onClose}
    >
      {mustType && <Field name="word" label={`Type ${segment} to confirm`} face="name" error={errors.word} />}
      {(isRequired || isProposed) && (
        <NoteFields isRequired={isRequired} title={`Remove all keys of ${segment}`} errors={errors} />
      )}
    </FormModal>
  );
}
