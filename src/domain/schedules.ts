/** When a changeset is applied without anybody asking: at a time, or as a ramp of several steps. */

import { type Static, Type } from 'typebox';
import { Person } from './approvals.ts';
import type { Edit } from './changesets.ts';
import { dayMs } from './durations.ts';
import { Millis, OneOf, Reference } from './schema.ts';

export const LocalTime = Type.Object({
  time: Type.String({ maxLength: 40, description: 'Local date and time, for example `2026-11-20T09:00`.' }),
  zone: Type.String({ maxLength: 64, description: 'IANA name of the time zone, for example `Europe/Berlin`.' }),
});
export type LocalTime = Static<typeof LocalTime>;

export const maxSteps = 20;
export const maxWaitMs = 90 * dayMs;
export const maxAheadMs = 2 * 366 * dayMs;

const Step = Type.Object({
  waitMs: Type.Optional(Type.Integer({ description: 'how long it waits after the step before it' })),
  hold: Type.Optional(Type.Boolean({ description: 'waits until somebody resumes' })),
  operations: Type.Array(
    Type.Object({
      environment: Reference,
      flag: Reference,
      edit: Type.Unsafe<Edit>({ type: 'object', additionalProperties: true, description: 'as in `operations`' }),
    }),
  ),
});
export type Step = Static<typeof Step>;

export const Schedule = Type.Object({
  by: Type.Object(Person.properties, { description: 'who scheduled it; it is applied with their rights' }),
  at: Type.Optional(
    Type.Object(LocalTime.properties, { description: 'the first step; absent: as soon as it has its approvals' }),
  ),
  steps: Type.Array(Step, { description: 'of a ramp: what follows the changeset’s own operations' }),
  appliedAt: Type.Array(Millis, { description: 'when each step so far was applied' }),
  dueAt: Type.Optional(
    Type.Unsafe<number>({
      ...Millis,
      description: 'of the next step; absent: it is paused, waits for somebody to resume, or is over',
    }),
  ),
  pausedAt: Type.Optional(Millis),
});
export type Schedule = Static<typeof Schedule> & {
  /** What was left of the wait when it was paused. */
  readonly leftMs?: number;
};

/** "1 of 3 steps". */
export const stepsDone = ({ appliedAt, steps }: Pick<Schedule, 'appliedAt' | 'steps'>): string =>
  `${appliedAt.length} of ${steps.length + 1} steps`;

const ComingStep = Type.Object({
  step: Type.Integer({ description: 'from 1' }),
  at: Type.Optional(
    Type.Unsafe<number>({ ...Millis, description: 'absent: unknown, because somebody has to resume before' }),
  ),
  hold: Type.Boolean({ description: 'waits until somebody resumes' }),
  isConflict: Type.Boolean({ description: 'it would fail, because somebody else changed the same' }),
  shares: Type.Array(Type.Object({ treatment: Type.String(), size: Type.Unsafe<number>({ type: 'number' }) }), {
    description: 'after it, as in the rollout history',
  }),
  killed: Type.Boolean(),
  allocation: Type.Integer({ description: 'percent of keys inside the traffic allocation' }),
  defaultTreatment: Type.String({ description: 'for keys outside the allocation, and for all while killed' }),
});
export type ComingStep = Static<typeof ComingStep>;

export const ComingSchedule = Type.Object({
  changeset: Reference,
  status: OneOf(['SCHEDULE_REQUESTED', 'SCHEDULED']),
  by: Person,
  at: Type.Optional(LocalTime),
  stepCount: Type.Integer(),
  pausedAt: Type.Optional(Millis),
  steps: Type.Array(ComingStep, { description: 'those that are still to come' }),
});
export type ComingSchedule = Static<typeof ComingSchedule>;
