import { associateTags, getFlag } from '#contract/flags.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { ApiProblem } from '../../server/api-problem.ts';
import { useProject } from '../../server/project.ts';
import { Field } from '../../ui/Field.tsx';
import { useEachFlag } from './each-flag.ts';

interface Props {
  readonly flags: readonly ListedFlag[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** No title and comment: tagging is the one change that never requires them. */
export function TagDialog({ flags, onClose, onDone }: Props) {
  const project = useProject();
  const eachFlag = useEachFlag();
  const { form, errors, problem, isSending } = useForm({
    rules: { tag: { check: (value) => (value.trim() === '' ? 'Enter a tag.' : undefined) } },
    send: ({ tag }) =>
      eachFlag(
        flags,
        ({ name }) => addTag({ project: project.id, flag: name }, tag.trim()),
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

const maxTries = 5;

/** The endpoint replaces all tags, so this sends the existing ones too, and rereads them if someone else changed them. */
async function addTag(params: { project: string; flag: string }, tag: string, tries = 1): Promise<void> {
  const { tags, etag } = await call(getFlag, { params });
  const names = (tags ?? []).map(({ name }) => name);
  if (names.includes(tag)) return;
  try {
    await call(associateTags, { params: { ...params, objectType: 'Split' }, body: [...names, tag], ifMatch: etag });
  } catch (problem) {
    if (!(problem instanceof ApiProblem) || problem.status !== 412 || tries === maxTries) throw problem;
    await addTag(params, tag, tries + 1);
  }
}
