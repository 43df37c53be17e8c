import { associateTags, getFlag } from '#contract/flags.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { equalJson } from '#domain/json.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { ApiProblem } from '../../server/api-problem.ts';
import { useProject } from '../../server/project.ts';
import { Field } from '../../ui/Field.tsx';
import { BulkProgress } from './BulkReport.tsx';
import { useEachFlag } from './each-flag.ts';

interface Props {
  /** False to remove the tag. */
  readonly isAdding: boolean;
  readonly flags: readonly ListedFlag[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** No title and comment: tagging is the one change that never requires them. */
export function TagDialog({ isAdding, flags, onClose, onDone }: Props) {
  const project = useProject();
  const eachFlag = useEachFlag();
  const after = (names: readonly string[], tag: string) => {
    const others = names.filter((name) => name !== tag);
    return isAdding ? [...others, tag] : others;
  };
  const { form, errors, problem, isSending } = useForm({
    rules: { tag: { check: (value) => (value.trim() === '' ? 'Enter a tag.' : undefined) } },
    send: ({ tag }) =>
      eachFlag(
        flags,
        ({ name }) => changeTags({ project: project.id, flag: name }, (names) => after(names, tag.trim())),
        (what) => (isAdding ? `Added ${tag.trim()} to ${what}.` : `Removed ${tag.trim()} from ${what}.`),
      ),
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <FormModal
      title={`${isAdding ? 'Add a tag to' : 'Remove a tag from'} ${flags.length === 1 ? flags[0]?.name : `${flags.length} flags`}`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit={isAdding ? 'Add tag' : 'Remove tag'}
      onClose={onClose}
    >
      <Field name="tag" label="Tag" maxLength={255} error={errors.tag} autoComplete="off" autoFocus />
      <BulkProgress />
    </FormModal>
  );
}

const maxTries = 5;

/** The endpoint replaces all tags, so this rereads them if someone else changed them. */
async function changeTags(
  params: { project: string; flag: string },
  change: (names: readonly string[]) => string[],
  tries = 1,
): Promise<void> {
  const { tags, etag } = await call(getFlag, { params });
  const names = (tags ?? []).map(({ name }) => name);
  const body = change(names);
  if (equalJson(body.toSorted(), names.toSorted())) return;
  try {
    await call(associateTags, { params: { ...params, objectType: 'Split' }, body, ifMatch: etag });
  } catch (problem) {
    if (!(problem instanceof ApiProblem) || problem.status !== 412 || tries === maxTries) throw problem;
    await changeTags(params, change, tries + 1);
  }
}
