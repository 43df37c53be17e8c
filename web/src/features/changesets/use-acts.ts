/** What the user can do with a changeset now. The server decides; this is what it would say. */
import {
  applyChangeset,
  approveChangeset,
  changeChangeset,
  requestChangeset,
  revertChangeset,
  withdrawChangeset,
} from '#contract/changesets.ts';
import { abortChangeset, pauseChangeset, resumeChangeset, scheduleChangeset, skipWait } from '#contract/schedules.ts';
import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import { type ChangesetAnswer, isBy, isOpen, isScheduled } from '../../changesets/changesets-query.ts';
import { hasBegun, phaseOf } from '../../changesets/schedule-words.ts';
import { useMay, useMe } from '../../server/session.ts';

/** Undefined: it can be done. `hidden`: it makes no sense now. Otherwise why not. */
type Verdict = string | undefined;

export interface Acts {
  readonly edit: Verdict;
  readonly withdraw: Verdict;
  readonly request: Verdict;
  readonly approve: Verdict;
  readonly apply: Verdict;
  readonly schedule: Verdict;
  readonly pause: Verdict;
  readonly resume: Verdict;
  readonly skip: Verdict;
  readonly abort: Verdict;
  readonly revert: Verdict;
  readonly isAuthor: boolean;
}

/** `canRamp`: its steps can be edited, also once it has begun. */
export function useActs(changeset: ChangesetAnswer, plan: ChangesetPlan | undefined, canRamp: boolean): Acts {
  const me = useMe();
  const may = useMay();
  const { status, author, reviews = [] } = changeset;
  const isAuthor = isBy(me, author);
  const open = isOpen(changeset);
  const refusal = plan?.operations.find((one) => one.refusal !== undefined)?.refusal;
  const editing = isAuthor || !plan || refusal === undefined ? undefined : refusal;
  const isApproved = reviews.some(
    ({ kind, by, voidedAt }) => kind === 'approve' && voidedAt === undefined && isBy(me, by),
  );
  const mayApprove = plan?.approvals.some((one) => one.mayApprove) ?? false;
  const isRequested = status === 'REQUESTED' || status === 'APPROVED' || status === 'SCHEDULE_REQUESTED';
  const phase = phaseOf(changeset);
  const release = needsRelease(plan) && !mayApprove ? 'Someone who can approve it must resume it.' : undefined;
  const isOver = status === 'PUBLISHED' || (phase === 'over' && !open && hasBegun(changeset));
  return {
    edit: open && may(changeChangeset) ? editing : 'hidden',
    withdraw: open && may(withdrawChangeset) ? editing : 'hidden',
    request: status === 'DRAFT' && may(requestChangeset) ? editing : 'hidden',
    approve: isRequested && mayApprove && !isApproved && may(approveChangeset) ? undefined : 'hidden',
    apply: open && plan && may(applyChangeset) ? whyNotApply(plan) : 'hidden',
    schedule:
      (open || isScheduled(changeset)) && (canRamp || !hasBegun(changeset)) && plan && may(scheduleChangeset)
        ? refusal
        : 'hidden',
    pause: phase === 'waiting' && may(pauseChangeset) ? editing : 'hidden',
    resume:
      (phase === 'paused' || phase === 'held') && may(resumeChangeset)
        ? phase === 'paused'
          ? editing
          : (release ?? (needsRelease(plan) ? undefined : refusal))
        : 'hidden',
    skip: phase === 'waiting' && may(skipWait) ? refusal : 'hidden',
    abort: isScheduled(changeset) && may(abortChangeset) ? editing : 'hidden',
    revert: isOver && may(revertChangeset) ? undefined : 'hidden',
    isAuthor,
  };
}

/** A step that holds is let go by those who could approve it, where approvals are required. */
const needsRelease = (plan: ChangesetPlan | undefined): boolean =>
  plan?.approvals.some(({ without }) => !without) ?? false;

export const missingApprovals = ({ approvals }: ChangesetPlan): string[] =>
  approvals.filter(({ isGiven, without }) => !isGiven && !without).map(({ environment }) => environment.name);

function whyNotApply(plan: ChangesetPlan): Verdict {
  if (plan.canApply) return undefined;
  const conflict = plan.operations.find(({ conflicts }) => conflicts.length > 0);
  if (conflict) return 'It conflicts with what others changed since.';
  const refused = plan.operations.find(({ refusal }) => refusal !== undefined);
  if (refused?.refusal) return refused.refusal;
  return `It needs an approval for ${missingApprovals(plan).join(' and ')}.`;
}
