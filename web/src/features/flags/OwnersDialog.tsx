import { useState } from 'react';
import { patchFlag } from '#contract/flags.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import type { FlagAnswer } from '../../server/flag.ts';
import { useProject } from '../../server/project.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { BulkProgress } from './BulkReport.tsx';
import { useEachFlag } from './each-flag.ts';
import { OwnersField } from './OwnersField.tsx';

interface Props {
  readonly flags: readonly ListedFlag[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function OwnersDialog({ flags, onClose, onDone }: Props) {
  const project = useProject();
  const isRequired = project.requiresTitleAndComments;
  const [owners, setOwners] = useState<FlagAnswer['owners']>([]);
  const [isReplacing, setReplacing] = useState(false);
  const eachFlag = useEachFlag();
  const body = isReplacing
    ? [{ op: 'replace' as const, path: '/owners', value: owners }]
    : owners.map((value) => ({ op: 'add' as const, path: '/owners/-', value }));
  const { form, errors, problem, isSending } = useForm({
    rules: {
      owners: { check: () => (owners.length === 0 && !isReplacing ? 'Add an owner.' : undefined) },
      ...noteRules(isRequired),
    },
    send: ({ owners: _, ...note }) =>
      eachFlag(
        flags,
        ({ name }) => call(patchFlag, { params: { project: project.id, flag: name }, query: noteOf(note), body }),
        (what) => `Set the owners of ${what}.`,
      ),
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <FormModal
      title={`Set the owners of ${flags.length === 1 ? flags[0]?.name : `${flags.length} flags`}`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit={isReplacing ? 'Replace owners' : 'Add owners'}
      onClose={onClose}
    >
      <OwnersField owners={owners} onChange={setOwners} error={errors.owners} />
      <Checkbox
        label="Replace present owners"
        hint="Otherwise they stay, and these are added."
        checked={isReplacing}
        onChange={({ target }) => setReplacing(target.checked)}
      />
      {isRequired && <NoteFields isRequired errors={errors} />}
      <BulkProgress />
    </FormModal>
  );
}
