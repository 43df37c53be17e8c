import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createRolloutStatus, deleteRolloutStatus, updateRolloutStatus } from '#contract/rollout-statuses.ts';
import { countOf } from '../../administration/count.ts';
import { sentence } from '../../kit/explain.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { descriptionOf } from '../../kit/rollout-status-words.ts';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { focusWhenLost } from '../../ui/focus.ts';
import { Select } from '../../ui/Select.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import type { UsedStatus } from './RolloutStatusesCard.tsx';

const nameRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter a name.' : undefined),
  claim: (complaint, { status }) => {
    if (status === 409) return 'This project already has a status with this name.';
    return complaint.startsWith('name ') ? sentence(complaint.replace(/^name /, 'The name ')) : undefined;
  },
};

interface EditProps {
  /** Absent for a new one. */
  readonly status?: UsedStatus;
  readonly onClose: () => void;
}

export function EditStatusDialog({ status, onClose }: EditProps) {
  const { id: project } = useProject();
  const client = useQueryClient();
  const [permanent, setPermanent] = useState(status?.permanent ?? false);
  const shown = status ? descriptionOf(status) : '';
  const { form, errors, problem, isSending } = useForm({
    rules: { name: nameRule, description: {} },
    send: ({ name, description }) => {
      // What is shown for a status of the vendor's is not what is stored.
      const body = { name: name.trim(), permanent, ...(description !== shown && { description }) };
      return status
        ? call(updateRolloutStatus, { params: { project, rolloutStatus: status.id }, body })
        : call(createRolloutStatus, { params: { project }, body });
    },
    onDone: ({ name }) => {
      onClose();
      toast(status ? 'Saved.' : `Added ${name}.`);
      return client.invalidateQueries();
    },
  });
  return (
    <FormModal
      title={status ? `Edit ${status.name}` : 'Add a rollout status'}
      {...{ form, problem, isSending, onClose }}
      submit={status ? 'Save' : 'Add rollout status'}
    >
      <Field
        name="name"
        label="Name"
        defaultValue={status?.name}
        maxLength={50}
        error={errors.name}
        autoComplete="off"
        autoFocus
      />
      <TextArea name="description" label="Description" defaultValue={shown} maxLength={2000} />
      <Checkbox
        label="Flags with this status stay"
        hint="Cleanup does not list them."
        checked={permanent}
        onChange={({ target }) => setPermanent(target.checked)}
      />
    </FormModal>
  );
}

function aboutUses(flags: number): string {
  if (flags === 0) return 'No flag has this status.';
  return flags === 1
    ? '1 flag has this status.'
    : `${countOf(flags, 'flag')} have this status, archived ones included.`;
}

interface DeleteProps {
  readonly status: UsedStatus;
  readonly all: readonly UsedStatus[];
  readonly onClose: () => void;
}

export function DeleteStatusDialog({ status, all, onClose }: DeleteProps) {
  const project = useProject();
  const client = useQueryClient();
  const others = all.filter(({ id }) => id !== status.id);
  const [target, setTarget] = useState(others[0]?.id);
  const flags = status.flagCount ?? 0;
  const isRequired = project.requiresTitleAndComments && flags > 0;
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: (note) =>
      call(deleteRolloutStatus, {
        params: { project: project.id, rolloutStatus: status.id },
        query: flags === 0 ? {} : { moveTo: target, ...noteOf(note) },
      }),
    onDone: async () => {
      onClose();
      toast(`Deleted ${status.name}.`);
      await client.invalidateQueries();
      focusWhenLost();
    },
  });
  return (
    <FormModal
      kind="alert"
      title={`Delete ${status.name}?`}
      about={aboutUses(flags)}
      {...{ form, problem, isSending, onClose }}
      submit="Delete rollout status"
      look="danger-fill"
    >
      {flags > 0 && (
        <Select
          name="moveTo"
          label="Their new status"
          value={target}
          onChange={({ target: { value } }) => setTarget(value)}
        >
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {isRequired && <NoteFields isRequired title={`Delete ${status.name}`} errors={errors} />}
    </FormModal>
  );
}
