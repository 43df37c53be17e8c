import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { scheduleChangeset } from '#contract/schedules.ts';
import type { Schedule } from '#domain/schedules.ts';
import { type ChangesetAnswer, changesetReading, keepChangeset } from '../../changesets/changesets-query.ts';
import { scheduledWords } from '../../changesets/propose.ts';
import { RampSteps } from '../../changesets/RampSteps.tsx';
import { atOf, newStart, type Start, startOf, stepTimes, waitOf } from '../../changesets/ramp.ts';
import { StartFields } from '../../changesets/StartFields.tsx';
import { timeWords, waitWords, zoneHere } from '../../changesets/schedule-words.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { toast } from '../../state/toasts.ts';
import { Radio } from '../../ui/Checkbox.tsx';
import { focusWhenLost } from '../../ui/focus.ts';
import { useEdge, wherein } from './DecisionBar.tsx';
import { planComplaints, type Ramp, rampWords, requestOf, shareName, stepsAgain, type WholePlan } from './ramp-over.ts';
import styles from './ScheduleDialog.module.css';

interface Props {
  readonly changeset: ChangesetAnswer;
  /** Undefined: only its time can be changed, and the steps that it has stay. */
  readonly ramp: Ramp | undefined;
  /** It lacks an approval, or an edit would void those it has. */
  readonly needsApproval: boolean;
  readonly onClose: () => void;
}

/** Asks when a changeset is applied: at a time, or step by step. */
export function ScheduleDialog({ changeset, ramp, needsApproval, onClose }: Props) {
  const client = useQueryClient();
  const edge = useEdge(changeset);
  const { id, etag: ifMatch, schedule, approvers } = changeset;
  const hasSteps = (schedule?.steps.length ?? 0) > 0;
  const [plan, setPlan] = useState<WholePlan>(() => ({
    ...startNow(changeset),
    isRamp: hasSteps,
    steps: ramp?.steps ?? [],
  }));
  const set = (next: Partial<WholePlan>) => setPlan({ ...plan, ...next });
  const done = ramp?.done ?? 0;
  const complaints = planComplaints(plan, ramp, Date.now());
  const rules = Object.entries(complaints).map(([name, words]): [string, FieldRule] => [name, { check: () => words }]);
  const { form, errors, problem, isSending } = useForm({
    rules: { day: {}, time: {}, zone: {}, ...Object.fromEntries(rules) },
    send: () =>
      call(scheduleChangeset, {
        params: { changeset: id },
        body: {
          approvers,
          ...(ramp ? requestOf(plan, ramp) : { ...atOf(plan), ...(hasSteps ? { steps: stepsAgain(changeset) } : {}) }),
        },
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
      title={titleOf(changeset, ramp)}
      about={aboutOf({ needsApproval, hasBegun: done > 0, hasSteps })}
      size="normal"
      edge={edge}
      submit={hasSteps && ramp ? 'Save plan' : 'Schedule'}
      {...{ form, problem, isSending, onClose }}
    >
      {ramp && done === 0 && (
        <fieldset className={styles.how}>
          <legend>Applies</legend>
          <Radio
            name="how"
            label="All at once"
            checked={!plan.isRamp}
            onChange={() => set({ isRamp: false, start: 'time' })}
          />
          <Radio
            name="how"
            label="Step by step, as a ramp"
            checked={plan.isRamp}
            onChange={() => set({ isRamp: true })}
          />
        </fieldset>
      )}
      {done === 0 && (
        <StartFields
          start={plan}
          errors={errors}
          without={plan.isRamp ? (needsApproval ? 'As soon as it is approved' : 'At once') : undefined}
          onChange={set}
        />
      )}
      {ramp && plan.isRamp && (
        <fieldset className={styles.ramp}>
          <legend>{done === 0 ? 'Steps' : 'Steps still to come'}</legend>
          <p className={styles.words}>{rampWords(ramp)}</p>
          <RampSteps
            steps={plan.steps}
            first={done + 1}
            presets={done === 0 ? ramp.presets : []}
            name={shareName(ramp)}
            errors={errors}
            whenOf={whenOf(changeset, plan, needsApproval)}
            onChange={(steps) => set({ steps })}
          >
            {() => null}
          </RampSteps>
        </fieldset>
      )}
    </FormModal>
  );
}

function titleOf(changeset: ChangesetAnswer, ramp: Ramp | undefined): string {
  if (!changeset.schedule) return `Schedule it for ${wherein(changeset)}`;
  return ramp && changeset.schedule.steps.length > 0 ? 'Edit the plan' : 'Change when it is applied';
}

interface Standing {
  readonly needsApproval: boolean;
  readonly hasBegun: boolean;
  readonly hasSteps: boolean;
}

function aboutOf({ needsApproval, hasBegun, hasSteps }: Standing): string {
  if (hasBegun) {
    return needsApproval
      ? 'What was applied stays. This voids its approvals: the steps still to come wait until someone else approves them.'
      : 'What was applied stays. The steps still to come are replaced by these.';
  }
  if (needsApproval) {
    const voids = hasSteps ? 'This voids its approvals. ' : '';
    return `${voids}It needs an approval for exactly this plan. If it starts at a time and has none by then, it fails and nothing changes.`;
  }
  return 'It is checked then and merged with what others changed meanwhile. A conflict stops it.';
}

/** The time it has, or tomorrow at nine. */
function startNow({ schedule }: ChangesetAnswer): Start {
  const start = newStart(Date.now());
  if (!schedule) return start;
  if (!schedule.at) return { ...start, start: 'now' };
  const [day = '', time = ''] = schedule.at.time.split('T');
  return { start: 'time', day: Date.parse(day), time: time.slice(0, 5), zone: schedule.at.zone };
}

/** When the wait for the next step began, as if there had been no pause; undefined before the first and in a pause. */
function waitingSince({ steps, appliedAt, dueAt, pausedAt }: Schedule): number | undefined {
  if (pausedAt !== undefined) return undefined;
  const waitMs = steps[appliedAt.length - 1]?.waitMs;
  return dueAt === undefined || waitMs === undefined ? appliedAt.at(-1) : dueAt - waitMs;
}

/** When each step is applied, if nothing comes between. */
function whenOf({ schedule }: ChangesetAnswer, plan: WholePlan, needsApproval: boolean) {
  const done = schedule?.appliedAt.length ?? 0;
  const start = done === 0 ? startOf(plan, needsApproval ? undefined : Date.now()) : undefined;
  const times = stepTimes(plan.steps, start, schedule && waitingSince(schedule));
  const zone = schedule?.at?.zone ?? (plan.start === 'time' ? plan.zone : zoneHere());
  return (index: number): string => {
    const [at, step] = [times[index], plan.steps[index]];
    if (at !== undefined && at > Date.now()) return timeWords(at, zone);
    if (done + index === 0) return plan.start === 'time' ? '' : needsApproval ? 'As soon as it is approved' : 'At once';
    if (!step || step.unit === 'hold') return 'When someone resumes it';
    if (at !== undefined) return needsApproval ? 'As soon as it is approved' : 'At once';
    const waitMs = waitOf(step);
    return waitMs === undefined ? '' : `${waitWords(waitMs)} after step ${done + index}`;
  };
}
