import { useQueryClient } from '@tanstack/react-query';
import { deleteDefinition } from '#contract/definitions.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { DependentsWarning } from '../../../kit/Dependents.tsx';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { call } from '../../../server/api.ts';
import { useProject } from '../../../server/project.ts';
import { writeDraft } from '../../../state/drafts.ts';
import { toast } from '../../../state/toasts.ts';
import { Field } from '../../../ui/Field.tsx';
import { useEditor } from '../editing/editor.ts';
import { afterChange, refresh, useWords } from './save.ts';

interface Props {
  readonly saved: ExpandedDefinition;
  readonly onClose: () => void;
}

/** Takes the flag out of one environment. In production its name is typed, as for deleting it. */
export function RemoveDefinitionDialog({ saved, onClose }: Props) {
  const { environment, place } = useEditor();
  const client = useQueryClient();
  const params = useWords();
  const isRequired = useProject().requiresTitleAndComments;
  const mustType = (value: string) => (value.trim() === saved.name ? undefined : `Type ${saved.name}`);
  const { form, errors, problem, isSending } = useForm({
    rules: { word: { check: environment.production ? mustType : () => undefined }, ...noteRules(isRequired) },
    send: ({ title, comment }) =>
      call(deleteDefinition, { params, query: noteOf({ title, comment }), ifMatch: saved.etag }),
    onDone: async () => {
      onClose();
      writeDraft(place, undefined);
      await refresh(client, params);
      afterChange(client);
      toast(`Removed from ${environment.name}.`);
    },
  });
  return (
    <FormModal
      title={`Remove ${saved.name} from ${environment.name}?`}
      about={
        <>
          Treatments, targets and rules in {environment.name} are deleted, and everyone there gets <code>control</code>.
          The flag and its other environments are not affected. If you define it here again, percentages select
          different keys.
        </>
      }
      kind="alert"
      look="danger-fill"
      form={form}
      problem={problem}
      isSending={isSending}
      submit={`Remove from ${environment.name}`}
      onClose={onClose}
    >
      <DependentsWarning flag={saved.name} environmentId={environment.id}>
        Their rules see <code>control</code> for everyone.
      </DependentsWarning>
      {environment.production && (
        <Field
          name="word"
          label={`Type ${saved.name} to confirm`}
          face="name"
          autoComplete="off"
          spellCheck={false}
          hint="This is production."
          error={errors.word}
          autoFocus
        />
      )}
      {isRequired && <NoteFields isRequired title={`Remove ${saved.name} from ${environment.name}`} errors={errors} />}
    </FormModal>
  );
}
