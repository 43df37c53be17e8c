import { Type } from 'typebox';
import { Changeset, Remark, ScheduleRequest } from '#domain/changesets.ts';
import { ComingSchedule } from '#domain/schedules.ts';
import { endpoint } from './endpoint.ts';
import { keysBodyLimit } from './parts.ts';

const write = { needs: 'changeset.write', scope: 'environment' } as const;
const common = [
  'changeset_not_found',
  'changeset_state',
  'precondition_failed',
  'right_missing',
  'project_not_found',
] as const;

export const scheduleChangeset = endpoint({
  method: 'POST',
  path: '/changesets/:changeset/schedule',
  summary: 'Schedule a changeset',
  description:
    'Applies it at a time, or step by step as a ramp: first its own operations, then those of each step, which edit the same definitions and are based on what the steps before them make of these. ' +
    'It is `SCHEDULE_REQUESTED` until it has the approvals that its environments require, then `SCHEDULED`. ' +
    'Each step is applied in one transaction, with the rights that whoever scheduled it has at that moment; a step that is refused, because of a conflict, a missing right or approval, changes nothing and ends it as `FAILED`, with the `reason`. ' +
    'A kill of a definition ends its running ramps. ' +
    'Of a local time that clocks skip it is as much later as they are put forward; of one that comes twice it is the first. ' +
    'Scheduling again replaces the schedule and voids approvals, as any edit does; of a ramp that has begun it replaces the steps that are still to come, which then wait for the approvals that are needed.',
  access: write,
  body: ScheduleRequest,
  bodyLimit: keysBodyLimit,
  reply: Changeset,
  versioned: true,
  problems: [...common, 'changeset_invalid', 'definition_invalid', 'patch_invalid', 'approvers_restricted'],
});

const control = {
  method: 'POST',
  access: write,
  body: Remark,
  bodyIsOptional: true,
  reply: Changeset,
  versioned: true,
  problems: common,
} as const;

export const pauseChangeset = endpoint({
  ...control,
  path: '/changesets/:changeset/pause',
  summary: 'Pause a schedule',
  description: 'The next step waits until somebody resumes. For its author, and for those who can apply it.',
});

export const resumeChangeset = endpoint({
  ...control,
  path: '/changesets/:changeset/resume',
  summary: 'Resume a schedule',
  description:
    'After a pause it goes on with what was left of the wait; a time that has passed meanwhile is due at once. A step that holds is applied. Where approvals are required, that is for those who could approve the changeset.',
  problems: [...common, 'changeset_own', 'changeset_not_approver'],
});

export const skipWait = endpoint({
  ...control,
  path: '/changesets/:changeset/skip',
  summary: 'Skip the wait before the next step',
  description: 'It is applied at once. For those who can apply the changeset.',
});

export const abortChangeset = endpoint({
  ...control,
  path: '/changesets/:changeset/abort',
  summary: 'Abort a schedule',
  description:
    'If nothing was applied, it is a draft again, without a schedule. Otherwise what was applied stays, and it is `WITHDRAWN`; POST …/revert takes it back. For its author, and for those who can apply it.',
});

export const listComingSteps = endpoint({
  method: 'GET',
  path: '/splits/ws/:project/:flag/environments/:environment/schedules',
  summary: 'See what is scheduled for a definition',
  description:
    'The steps that are still to come, with the shares of keys after each, as in the rollout history. Of at most ten changesets: first those that have their approvals, each the newest first.',
  access: { needs: 'changeset.read', scope: 'environment' },
  showsHousekeeping: true,
  reply: Type.Array(ComingSchedule),
  problems: [],
});
