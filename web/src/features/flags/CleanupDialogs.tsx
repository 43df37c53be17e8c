/** What people do with flags that look finished. */

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeCleanupPolicy, keepFlag, listCleanup } from '#contract/cleanup.ts';
import { deleteDefinition } from '#contract/definitions.ts';
import { archiveFlag, unarchiveFlag } from '#contract/flags.ts';
import type { CleanupFlag, CleanupPolicy } from '#domain/cleanup.ts';
import { dayMs } from '#domain/durations.ts';
import { CodeWarning } from '../../kit/CodeReferences.tsx';
import { explain } from '../../kit/explain.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call, keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useEnvironments, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { toast, toastFailure } from '../../state/toasts.ts';
import { Checkbox, Choices } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { focusWhenLost } from '../../ui/focus.ts';
import { Select } from '../../ui/Select.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { BulkProgress } from './BulkReport.tsx';
import { DeleteFlagsDialog } from './DeleteFlagsDialog.tsx';
import { useEachFlag } from './each-flag.ts';
import { StatusDialog } from './StatusDialog.tsx';

/** It takes the right to edit each definition. */
export function useWhyNotArchive(): (flag: CleanupFlag) => string | undefined {
  const whyNot = useWhyNot();
  return ({ owners, definedIn }) =>
    whyNot(archiveFlag, { owners }) ??
    definedIn.map(({ id }) => whyNot(deleteDefinition, { owners, environment: id })).find(Boolean);
}

interface Note {
  readonly title?: string | undefined;
  readonly comment?: string | undefined;
}

/** Archives flags; the message afterwards can undo it. */
function useArchive() {
  const project = useProject();
  const eachFlag = useEachFlag();
  return (flags: readonly CleanupFlag[], query: Note) =>
    eachFlag(
      flags,
      ({ name }) => call(archiveFlag, { params: { project: project.id, flag: name }, query }),
      (what) => `Archived ${what}.`,
      (archived) =>
        void eachFlag(
          archived,
          ({ name }) => call(unarchiveFlag, { params: { project: project.id, flag: name }, query }),
          (what) => `Unarchived ${what}.`,
        ).catch(showFailure),
    );
}

const showFailure = (problem: ApiProblem) => toastFailure(explain(problem));

/** Archives at once, because it can be undone; unless there is something to ask or to say first. */
export function useArchiveStep(ask: () => void) {
  const project = useProject();
  const archive = useArchive();
  return (flags: readonly CleanupFlag[], onDone?: () => void) => {
    if (project.requiresTitleAndComments || flags.some(({ codeReferences }) => codeReferences > 0)) return ask();
    void archive(flags, {}).then(onDone, showFailure).finally(focusWhenLost);
  };
}

function ArchiveFinishedDialog({ flags, onClose, onDone }: DialogProps) {
  const isRequired = useProject().requiresTitleAndComments;
  const archive = useArchive();
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: (values) => archive(flags, noteOf(values)),
    onDone: () => {
      onClose();
      onDone();
    },
  });
  const what = flags.length === 1 ? (flags[0]?.name ?? '') : `${flags.length} flags`;
  return (
    <FormModal
      title={`Archive ${what}?`}
      about={
        <>
          Everyone gets <code>control</code> in every environment. Names, definitions and buckets are kept until you
          unarchive.
        </>
      }
      {...{ form, problem, isSending, onClose }}
      submit={`Archive ${flags.length === 1 ? 'flag' : what}`}
    >
      <CodeWarning flags={flags.map(({ name }) => name)} />
      <NoteFields isRequired={isRequired} isReason title={`Archive ${what}`} errors={errors} />
      <BulkProgress />
    </FormModal>
  );
}

export type CleanupStep = 'archive' | 'keep' | 'status' | 'delete';

interface Props {
  readonly step: CleanupStep | undefined;
  readonly flags: readonly CleanupFlag[];
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

interface DialogProps {
  readonly flags: readonly CleanupFlag[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CleanupDialog({ step, flags, onClose, onDone }: Props) {
  const environments = useEnvironments();
  const done = () => {
    onDone?.();
    focusWhenLost();
  };
  if (step === 'archive') return <ArchiveFinishedDialog flags={flags} onClose={onClose} onDone={done} />;
  if (step === 'keep') return <KeepDialog flags={flags} onClose={onClose} onDone={done} />;
  if (step === 'status') return <StatusDialog flags={flags} onClose={onClose} onDone={done} />;
  if (step === undefined) return null;
  return (
    <DeleteFlagsDialog
      flags={flags.map(({ name, definedIn }) => ({
        name,
        environments: environments.filter(({ id }) => definedIn.some((one) => one.id === id)),
      }))}
      onClose={onClose}
      onDone={done}
    />
  );
}

const lengths = [
  ['30', 'For 30 days'],
  ['90', 'For 90 days'],
  ['365', 'For a year'],
  ['', 'For good'],
] as const;

function KeepDialog({ flags, onClose, onDone }: DialogProps) {
  const project = useProject();
  const eachFlag = useEachFlag();
  const { form, errors, problem, isSending } = useForm({
    rules: { days: {}, note: {} },
    send: ({ days, note }) =>
      eachFlag(
        flags,
        ({ name }) =>
          call(keepFlag, {
            params: { project: project.id, flag: name },
            body: {
              ...(days === '' ? {} : { until: Date.now() + Number(days) * dayMs }),
              ...(note.trim() === '' ? {} : { note: note.trim() }),
            },
          }),
        (what) => `Keeping ${what}.`,
      ),
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <FormModal
      title={`Keep ${flags.length === 1 ? flags[0]?.name : `${flags.length} flags`}`}
      about="Cleanup does not list flags while they are kept. Nothing else changes."
      {...{ form, problem, isSending, onClose }}
      submit="Keep"
    >
      <Select name="days" label="How long" defaultValue="90" autoFocus>
        {lengths.map(([days, words]) => (
          <option key={days} value={days}>
            {words}
          </option>
        ))}
      </Select>
      <TextArea
        name="note"
        label="Note"
        hint="Optional: why it is still needed"
        rows={2}
        maxLength={2000}
        error={errors.note}
      />
      <BulkProgress />
    </FormModal>
  );
}

const limits = [
  ['oneTreatmentDays', 'Days at one treatment'],
  ['ageDays', 'Age in days'],
  ['quietDays', 'Days without calls'],
  ['killedDays', 'Days killed'],
] as const;

const isDays = (text: string) => /^\d{1,4}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= 3_650;

/** When a flag counts as finished. */
export function PolicyDialog({ policy, onClose }: { readonly policy: CleanupPolicy; readonly onClose: () => void }) {
  const project = useProject();
  const environments = useEnvironments();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<readonly string[]>(policy.environmentIds);
  const days = { check: (value: string) => (isDays(value) ? undefined : 'Enter 1 to 3650 days.') };
  const { form, errors, problem, isSending } = useForm({
    rules: { oneTreatmentDays: days, ageDays: days, quietDays: days, killedDays: days },
    send: (values) =>
      call(changeCleanupPolicy, {
        params: { project: project.id },
        body: {
          oneTreatmentDays: Number(values.oneTreatmentDays),
          ageDays: Number(values.ageDays),
          quietDays: Number(values.quietDays),
          killedDays: Number(values.killedDays),
          environmentIds: environments.map(({ id }) => id).filter((id) => chosen.includes(id)),
        },
      }),
    onDone: () => {
      void client.invalidateQueries({ queryKey: keyOf(listCleanup) });
      onClose();
      toast('Saved the limits.');
    },
  });
  return (
    <FormModal
      title="When flags count as finished"
      about={`For everyone in ${project.name}.`}
      {...{ form, problem, isSending, onClose }}
      submit="Save limits"
    >
      {limits.map(([name, label], index) => (
        <Field
          key={name}
          name={name}
          label={label}
          inputMode="numeric"
          autoComplete="off"
          defaultValue={policy[name]}
          error={errors[name]}
          autoFocus={index === 0}
        />
      ))}
      <Choices label="Environments that decide">
        {environments.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChange={({ target }) => setChosen(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
          />
        ))}
      </Choices>
      <p>If you choose none, the production environments decide, or all if there is none.</p>
    </FormModal>
  );
}
