import { removeKeys } from '#contract/segments.ts';
import { countOf, listed } from '../../administration/count.ts';
import { proposedWords, usePropose } from '../../changesets/propose.ts';
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
  /** To others, instead of removing them. */
  readonly isProposed: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Removes keys that were chosen from the list, or proposes to. */
export function RemoveKeysDialog({ segment, environment, keys, isProposed, onClose, onDone }: Props) {
  const { requiresTitleAndComments: isRequired } = useProject();
  const refresh = useRefreshSegments();
  const { propose, open } = usePropose();
  const what = keys.length === 1 ? String(keys[0]) : countOf(keys.length, 'key');
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: async (values) => {
      const edit = { kind: 'removeKeys' as const, keys: [...keys] };
      if (isProposed) return propose([{ segment, environment: environment.id, edit }], noteOf(values));
      await call(removeKeys, {
        params: { environment: environment.id, segment },
        query: noteOf(values),
        body: { keys: [...keys] },
      });
      return undefined;
    },
    onDone: async (proposed) => {
      onClose();
      if (proposed) return open(proposed, proposedWords(proposed));
      onDone();
      await refresh().then(focusWhenLost);
      // The list no longer offers what is gone.
      toast(`Removed ${what} from ${environment.name}.`);
    },
  });
  return (
    <FormModal
      kind={isProposed ? 'dialog' : 'alert'}
      title={isProposed ? `Propose to remove ${what}?` : `Remove ${what}?`}
      about={`From ${segment} in ${environment.name}${keys.length > 1 ? `: ${listed(keys, 5)}` : ''}. Flags that use the segment there follow.`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit={`${isProposed ? 'Propose to remove' : 'Remove'} ${keys.length === 1 ? 'key' : 'keys'}`}
      look={isProposed ? 'primary' : 'danger-fill'}
      onClose={onClose}
    >
      {(isRequired || isProposed) && (
        <NoteFields isRequired={isRequired} title={`Remove ${what}`.slice(0, 200)} errors={errors} />
      )}
    </FormModal>
  );
}
