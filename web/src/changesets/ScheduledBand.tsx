import { CalendarClock } from 'lucide-react';
import type { Targeting } from '#domain/definitions/definition.ts';
import { rolloutOf } from '#domain/rollouts.ts';
import type { ComingSchedule } from '#domain/schedules.ts';
import { type Environment, useProject } from '../server/project.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { Until } from '../ui/Time.tsx';
import styles from './ScheduledBand.module.css';
import { changeWords, timeWords, zoneHere } from './schedule-words.ts';
import { useComing } from './use-coming.ts';

interface Props {
  readonly environment: Environment;
  /** Undefined: the flag is not defined here. */
  readonly saved: Targeting | undefined;
}

/** What is going to change the definition without anybody asking, and when. */
export function ScheduledBand({ environment, saved }: Props) {
  const coming = useComing(environment);
  if (coming.length === 0) return null;
  return (
    <section className={styles.band} aria-label="Scheduled">
      <CalendarClock size={16} aria-hidden />
      <ul>
        {coming.map((schedule) => (
          <Coming key={schedule.changeset.id} schedule={schedule} saved={saved} />
        ))}
      </ul>
    </section>
  );
}

function Coming({ schedule, saved }: Pick<Props, 'saved'> & { readonly schedule: ComingSchedule }) {
  const project = useProject();
  const { changeset, stepCount, steps } = schedule;
  const [next] = steps;
  if (!next) return null;
  const before = saved && { shares: rolloutOf(saved), killed: saved.killed };
  const which = stepCount === 1 ? 'Scheduled' : `Step ${next.step} of ${stepCount}`;
  const change = changeWords(before, next, steps);
  return (
    <li>
      <b>
        {which}
        {change !== '' && !next.isConflict && `: ${change}`}
      </b>
      <span>
        <When schedule={schedule} />
      </span>
      {next.isConflict && (
        <span className={styles.conflict}>Conflict: someone changed the same part, so it would fail.</span>
      )}
      <TextLink to="/p/$project/changesets/$changeset" params={{ project: project.name, changeset: changeset.id }}>
        {changeset.name || 'Open the changeset'}
      </TextLink>
    </li>
  );
}

function When({ schedule: { status, at, pausedAt, steps } }: { readonly schedule: ComingSchedule }) {
  const [next] = steps;
  const zone = at?.zone ?? zoneHere();
  const isAsked = status === 'SCHEDULE_REQUESTED';
  // The time of a first step comes whether it is approved or not.
  if (isAsked && (!at || (next?.step ?? 1) > 1)) {
    return next?.at === undefined ? 'When it is approved and someone resumes it' : 'When it is approved';
  }
  if (pausedAt !== undefined) return 'Paused, until someone resumes it';
  if (next?.at === undefined) return 'When someone resumes it';
  return (
    <>
      {timeWords(next.at, zone)} {zone === zoneHere() ? '' : `${zone} `}(<Until at={next.at} />)
      {isAsked && ', if it is approved by then'}
    </>
  );
}
