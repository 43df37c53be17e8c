import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { scheduleChangeset } from '#contract/schedules.ts';
import type { ScheduleRequest } from '#domain/changesets.ts';
import { type ChangesetAnswer, changesetReading, keepChangeset } from '../../changesets/changesets-query.ts';
import { scheduledWords } from '../../changesets/propose.ts';
import { atOf, newStart, type Start, startComplaints } from '../../changesets/ramp.ts';
import { StartFields } from '../../changesets/StartFields.tsx';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { toast } from '../../state/toasts.ts';
import { focusWhenLost } from '../../ui/focus.ts';
import { useEdge, wherein } from './DecisionBar.tsx';

interface Props {
  readonly changeset: ChangesetAnswer;
  /** It lacks an approval, or an edit would void those it has. */
  readonly needsApproval: boolean;
  readonly onClose: () => void;
}

/** Asks when a changeset is applied. The steps of a ramp stay as they are. */
export function ScheduleDialog({ changeset, needsApproval, onClose }: Props) {
  const client = useQueryClient();
  const edge = useEdge(changeset);
  const [start, setStart] = useState(() => startNow(changeset));
  const { id, etag: ifMatch, schedule, approvers } = changeset;
  const isRamp = (schedule?.steps.length ?? 0) > 0;
  const complaints = startComplaints(start, Date.now());
  const rule = (name: string) => ({ check: () => complaints[name] });
  const { form, errors, problem, isSending } = useForm({
    rules: { day: rule('day'), time: rule('time'), zone: rule('zone') },
    send: () =>
      call(scheduleChangeset, {
        params: { changeset: id },
        body: { ...atOf(start), approvers, ...(isRamp ? { steps: stepsAgain(changeset) } : {}) },
        ifMatch,
      }),
    onDone: async (answer) => {
      await keepChangeset(client, answer);
      onClose();
      focusWhenLost();
      toast(scheduledWords(answer));
    },
    onProblem: ({ status }) => {
      if (status === 412 || status === 409) {
        void client.invalidateQueries({ queryKey: changesetReading(id).queryKey });
      }
      return false;
    },
  });
  return (
    <FormModal
      title={schedule ? 'Change when it is applied' : `Schedule it for ${wherein(changeset)}`}
      about={
        needsApproval
          ? 'It needs an approval for exactly this time. Without one by then, it fails and nothing changes.'
          : 'It is checked then and merged with what others changed meanwhile. A conflict stops it.'
      }
      size="normal"
      edge={edge}
      submit="Schedule"
      {...{ form, problem, isSending, onClose }}
    >
      <StartFields
        start={start}
        errors={errors}
        without={isRamp ? (needsApproval ? 'As soon as it is approved' : 'At once') : undefined}
        onChange={setStart}
      />
    </FormModal>
  );
}

/** The time it has, or tomorrow at nine. */
function startNow({ schedule }: ChangesetAnswer): Start {
  const start = newStart(Date.now());
  if (!schedule) return start;
  if (!schedule.at) return { ...start, start: 'now' };
  const [day = '', time = ''] = schedule.at.time.split('T');
  return { start: 'time', day: Date.parse(day), time: time.slice(0, 5), zone: schedule.at.zone };
}

type Steps = NonNullable<ScheduleRequest['steps']>;

const stepsAgain = ({ schedule }: ChangesetAnswer): Steps =>
  (schedule?.steps ?? []).map(({ waitMs, hold, operations }) => ({
    ...(hold ? { hold } : { waitMs: waitMs ?? 0 }),
    operations: operations.map(({ environment, flag, edit }) => ({
      ...{ environment: environment.id, flag: flag.id },
      // Steps only edit definitions.
      edit: edit as Steps[number]['operations'][number]['edit'],
    })),
  }));
