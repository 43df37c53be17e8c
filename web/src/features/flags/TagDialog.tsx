import { associateTags } from '#contract/flags.ts';
import type { ListedFlag } from '#domain/expansions.ts';
import { call } from '../../api.ts';
import { useForm } from '../../form.ts';
import { useProject } from '../../project.ts';
import { Field } from '../../ui/Field.tsx';
import { FormModal } from '../../ui/FormModal.tsx';
import { useEachFlag } from './each-flag.ts';

interface Props {
  readonly flags: readonly ListedFlag[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Title and comment are not asked for: adding tags is the one change that never needs them. */
export function TagDialog({ flags, onClose, onDone }: Props) {
  const project = useProject();
  const eachFlag = useEachFlag();
  const { form, errors, problem, isSending } = useForm({
    rules: { tag: { check: (value) => (value.trim() === '' ? 'Enter a tag.' : undefined) } },
    send: ({ tag }) =>
      eachFlag(
        flags,
        ({ name }) =>
          call(associateTags, { words: { project: project.id, flag: name, objectType: 'Split' }, body: [tag.trim()] }),
        (what) => `Added ${tag.trim()} to ${what}.`,
      ),
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <FormModal
      title={`Add a tag to ${flags.length === 1 ? flags[0]?.name : `${flags.length} flags`}`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Add tag"
      onClose={onClose}
    >
      <Field name="tag" label="Tag" maxLength={255} error={errors.tag} autoComplete="off" autoFocus />
    </FormModal>
  );
}
