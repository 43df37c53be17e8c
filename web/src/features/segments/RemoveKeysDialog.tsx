import { removeKeys } from '#contract/segments.ts';
import { countOf, listed } from '../../administration/count.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { focusWhenLost } from '../../ui/focus.ts';
import { useRefreshSegments } from './segments-query.ts';

interface Props {
  readonly segment: string;
  readonly environment: Environment;
  readonly keys: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Removes keys that were chosen from the list. */
export function RemoveKeysDialog({ segment, environment, keys, onClose, onDone }: Props) {
  const { requiresTitleAndComments: isRequired } = useProject();
  const refresh = useRefreshSegments();
  const what = keys.length === 1 ? String(keys[0]) : countOf(keys.length, 'key');
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: (note) =>
      call(removeKeys, {
        params: { environment: environment.id, segment },
        query: noteOf(note),
        body: { keys: [...keys] },
      }),
    onDone: async () => {
      onClose();
      onDone();
      await refresh().then(focusWhenLost);
      // The list no longer offers what is gone.
      toast(`Removed ${what} from ${environment.name}.`);
    },
  });
  return (
    <FormModal
      kind="alert"
      title={`Remove ${what}?`}
      about={`From ${segment} in ${environment.name}${keys.length > 1 ? `: ${listed(keys, 5)}` : ''}. Flags that use the segment there follow.`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit={keys.length === 1 ? 'Remove key' : 'Remove keys'}
      look="danger-fill"
      onClose={onClose}
    >
      {isRequired && <NoteFields isRequired title={`Remove ${what}`.slice(0, 200)} errors={errors} />}
    </FormModal>
  );
}
