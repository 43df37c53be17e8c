import { patchFlag } from '#contract/flags.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { Select } from '../../ui/Select.tsx';
import { BulkProgress } from './BulkReport.tsx';
import { useEachFlag } from './each-flag.ts';
import { useRolloutStatuses } from './flags-query.ts';

interface Props {
  readonly flags: readonly { readonly name: string }[];
  /** Chosen already: only the note is asked for. */
  readonly status?: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function StatusDialog({ flags, status: chosen, onClose, onDone }: Props) {
  const project = useProject();
  const isRequired = project.requiresTitleAndComments;
  const statuses = useRolloutStatuses();
  const eachFlag = useEachFlag();
  const { form, errors, problem, isSending } = useForm({
    rules: { status: {}, ...noteRules(isRequired) },
    send: ({ status, ...note }) =>
      eachFlag(
        flags,
        ({ name }) =>
          call(patchFlag, {
            params: { project: project.id, flag: name },
            query: noteOf(note),
            body: [{ op: 'replace', path: '/rolloutStatus/id', value: chosen?.id ?? status }],
          }),
        (what) => `Set the status of ${what}.`,
      ),
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <FormModal
      title={`Set the rollout status of ${flags.length === 1 ? flags[0]?.name : `${flags.length} flags`}${chosen ? ` to ${chosen.name}` : ''}`}
      about="This is only a label. It does not change what anyone gets."
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Set status"
      onClose={onClose}
    >
      {chosen === undefined && (
        <Select name="status" label="Rollout status" autoFocus>
          {(statuses.data ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {isRequired && <NoteFields isRequired errors={errors} />}
      <BulkProgress />
    </FormModal>
  );
}
