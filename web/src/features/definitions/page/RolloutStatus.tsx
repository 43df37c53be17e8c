import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { listChanges } from '#contract/changes.ts';
import { listFlags, patchFlag } from '#contract/flags.ts';
import { listRolloutStatuses } from '#contract/rollout-statuses.ts';
import { explain } from '../../../kit/explain.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { RolloutStatusLabel } from '../../../kit/StatusChip.tsx';
import { call, keyOf, reading } from '../../../server/api.ts';
import type { ApiProblem } from '../../../server/api-problem.ts';
import { flagReading, useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { useMay } from '../../../server/session.ts';
import { toast, toastFailure } from '../../../state/toasts.ts';
import { Button } from '../../../ui/Button.tsx';
import { Picker } from '../../../ui/Picker.tsx';

interface Status {
  readonly id: string;
  readonly name: string;
}

interface Note {
  readonly title: string | undefined;
  readonly comment: string | undefined;
}

/** The rollout status, a label. Changing it does not change what anyone gets. */
export function RolloutStatus() {
  const project = useProject();
  const { rolloutStatus, rolloutStatusTimestamp, owners } = useFlag();
  const refusal = useWhyNot()(patchFlag, { owners });
  const may = useMay();
  const { data } = useQuery({
    ...reading(listRolloutStatuses, { query: { wsId: project.id } }),
    enabled: may(listRolloutStatuses),
    staleTime: 600_000,
  });
  const [asked, setAsked] = useState<Status>();
  const send = useSetStatus();
  const saving = useMutation<Status, ApiProblem, Status>({
    mutationFn: (status) => send(status, { title: undefined, comment: undefined }),
    onSuccess: ({ name }) => toast(`Set rollout status to ${name}.`),
    onError: (problem) => toastFailure(explain(problem)),
  });
  const face = (
    <>
      <RolloutStatusLabel name={rolloutStatus.name} since={rolloutStatusTimestamp} />
      <ChevronDown size={14} aria-hidden />
    </>
  );
  if (refusal !== undefined) return <Button refusal={refusal}>{face}</Button>;
  const choose = (id: string) => {
    const status = data?.find((one) => one.id === id);
    if (!status || status.id === rolloutStatus.id) return;
    if (project.requiresTitleAndComments) setAsked(status);
    else saving.mutate(status);
  };
  return (
    <>
      <Picker
        label="Rollout status"
        align="end"
        options={(data ?? []).map(({ id, name }) => ({ id, label: name, face: <RolloutStatusLabel name={name} /> }))}
        selected={rolloutStatus.id}
        onChoose={choose}
        trigger={(trigger) => <Button {...trigger}>{face}</Button>}
      />
      {asked && <StatusDialog status={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function useSetStatus() {
  const project = useProject();
  const flag = useFlag();
  const client = useQueryClient();
  return async (status: Status, note: Note): Promise<Status> => {
    await call(patchFlag, {
      params: { project: project.id, flag: flag.name },
      query: note,
      body: [{ op: 'replace', path: '/rolloutStatus/id', value: status.id }],
    });
    for (const endpoint of [listFlags, listChanges]) void client.invalidateQueries({ queryKey: keyOf(endpoint) });
    await client.invalidateQueries({ queryKey: flagReading(project.id, flag.name).queryKey });
    return status;
  };
}

/** For projects that require a note. */
function StatusDialog({ status, onClose }: { readonly status: Status; readonly onClose: () => void }) {
  const send = useSetStatus();
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(true),
    send: (values) => send(status, noteOf(values)),
    onDone: ({ name }) => {
      onClose();
      toast(`Set rollout status to ${name}.`);
    },
  });
  return (
    <FormModal
      title={`Set rollout status to ${status.name}?`}
      about="This is only a label. It does not change what anyone gets."
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Set status"
      onClose={onClose}
    >
      <NoteFields isRequired errors={errors} />
    </FormModal>
  );
}
