import type { ChangesetAnswer } from '../../changesets/changesets-query.ts';
import {
  editWords,
  hasBegun,
  isStoppedBeyond,
  type Phase,
  phaseOf,
  type ShownStep,
  shownSteps,
  timeWords,
  whenWords,
  zoneHere,
} from '../../changesets/schedule-words.ts';
import { EditorName } from '../../kit/EditorName.tsx';
import { Button } from '../../ui/Button.tsx';
import { Until } from '../../ui/Time.tsx';
import styles from './Schedule.module.css';

interface Props {
  readonly changeset: ChangesetAnswer;
}

interface ScheduleProps extends Props {
  readonly change: string;
  /** Undefined: it cannot be changed. */
  readonly onChange: (() => void) | undefined;
}

/** When it is applied, the outcome of each step, and its state. */
export function Schedule({ changeset, change, onChange }: ScheduleProps) {
  const phase = phaseOf(changeset);
  const { schedule } = changeset;
  if (!phase || !schedule) return null;
  const zone = schedule.at?.zone ?? zoneHere();
  return (
    <section aria-labelledby="schedule" className={styles.part}>
      <div className={styles.head}>
        <h2 id="schedule">Schedule</h2>
        {onChange && (
          <Button look="link" onClick={onChange}>
            {change}
          </Button>
        )}
      </div>
      <div className={styles.card}>
        <div className={styles.state}>
          <Standing changeset={changeset} phase={phase} zone={zone} />
        </div>
        <ol className={styles.steps}>
          {shownSteps(changeset).map((step) => (
            <Step key={step.number} step={step} changeset={changeset} zone={zone} />
          ))}
        </ol>
      </div>
      <p className={styles.quiet}>
        Applied with the rights of <EditorName editor={schedule.by} />.
        {schedule.steps.length > 0 && phase !== 'over' && ' A kill stops the steps that remain.'}
      </p>
    </section>
  );
}

interface StandingProps extends Props {
  readonly phase: Phase;
  readonly zone: string;
}

/** "Fri 20 Nov, 09:00", and below it the zone and how long until then. */
function Standing({ changeset, phase, zone }: StandingProps) {
  const { schedule, status } = changeset;
  if (!schedule) return null;
  const { dueAt, appliedAt, steps, pausedAt } = schedule;
  const [next, count] = [appliedAt.length + 1, steps.length + 1];
  const which = count === 1 ? '' : `step ${next} of ${count}`;
  if (phase === 'over') {
    return <b>{overWords(status, appliedAt.length, count)}</b>;
  }
  if (phase === 'paused') {
    return (
      <>
        <b>{which === '' ? 'Paused' : `Paused before ${which}`}</b>
        <span className={styles.quiet}>since {timeWords(pausedAt ?? 0, zone)}, until someone resumes it</span>
      </>
    );
  }
  if (phase === 'held') {
    return (
      <>
        <b>Holds before {which}</b>
        <span className={styles.quiet}>until someone resumes it</span>
      </>
    );
  }
  if (isStoppedBeyond(changeset)) {
    return (
      <>
        <b>Waits before {which}</b>
        <span className={styles.quiet}>for an approval, and then until someone resumes it</span>
      </>
    );
  }
  if (phase === 'requested' && appliedAt.length > 0) return <b>Goes on with {which} when it is approved</b>;
  if (phase === 'requested' && !schedule.at) return <b>Starts when it is approved</b>;
  return (
    <>
      <b>{timeWords(dueAt ?? 0, zone)}</b>
      <span className={styles.quiet}>
        {zone}, <Until at={dueAt ?? 0} />
        {which !== '' && `, ${which}`}
      </span>
      {zone !== zoneHere() && <span className={styles.quiet}>Here: {timeWords(dueAt ?? 0, zoneHere())}</span>}
      {phase === 'requested' && <span className={styles.quiet}>Fails if it is not approved by then</span>}
    </>
  );
}

function overWords(status: ChangesetAnswer['status'], applied: number, count: number): string {
  if (status === 'PUBLISHED') return count === 1 ? 'Applied' : `All ${count} steps were applied`;
  const how = status === 'FAILED' ? 'Failed' : 'Ended';
  return applied === 0 ? `${how}, nothing was applied` : `${how} after ${applied} of ${count} steps`;
}

interface StepProps extends Props {
  readonly step: ShownStep;
  readonly zone: string;
}

const stateWords: Readonly<Record<ShownStep['state'], string>> = {
  done: 'Applied',
  next: 'Next',
  coming: '',
  failed: 'Failed',
  never: 'Not applied',
};

function Step({ step, changeset, zone }: StepProps) {
  const { state, operations } = step;
  const isSeveral = changeset.operations.length > 1;
  const said = stateWords[state];
  const phase = phaseOf(changeset);
  // Until it is approved, its times are those that it would have if it were approved now.
  const isTimed = changeset.schedule?.at && !hasBegun(changeset);
  const at = phase === 'requested' && state !== 'done' && !isTimed ? undefined : step.at;
  const when = at === undefined ? whenWords(step, changeset) : timeWords(at, zone);
  return (
    <li className={styles.step} data-state={state}>
      <span className={styles.mark} aria-hidden />
      <div className={styles.words}>
        {step.number === 1 && (isSeveral || !isShort(operations)) ? (
          <span>{isSeveral ? `Apply all ${changeset.operations.length} changes` : 'Apply the change'}</span>
        ) : (
          operations.map(({ flag, environment, edit }) => (
            <span key={`${flag?.id} ${environment?.id}`}>
              {isSeveral && (
                <>
                  <code>{flag?.name}</code> in {environment?.name}:{' '}
                </>
              )}
              {editWords(edit)}
            </span>
          ))
        )}
        <span className={styles.quiet}>
          {said}
          {said !== '' && when !== '' && ', '}
          {when}
          {state === 'failed' && changeset.reason !== undefined && `: ${changeset.reason}`}
        </span>
      </div>
    </li>
  );
}

/** A patch that can be said in a few words. */
const isShort = (operations: ShownStep['operations']): boolean =>
  operations.every(({ edit }) => edit.kind === 'patch' && (edit.operations?.length ?? 0) <= 2);
