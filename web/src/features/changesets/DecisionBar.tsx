import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import { type ChangesetAnswer, isScheduled, objectOf, placesOf } from '../../changesets/changesets-query.ts';
import { approvedWords, phaseOf, timeWords, zoneHere } from '../../changesets/schedule-words.ts';
import { SaveBar } from '../../kit/SaveBar.tsx';
import { useEnvironments } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { type Acts, missingApprovals } from './use-acts.ts';

export type Act =
  | 'request'
  | 'propose'
  | 'approve'
  | 'askForChanges'
  | 'reject'
  | 'apply'
  | 'withdraw'
  | 'edit'
  | 'revert'
  | 'pause'
  | 'resume'
  | 'skip'
  | 'abort';

interface BarProps {
  readonly changeset: ChangesetAnswer;
  readonly plan: ChangesetPlan;
  readonly acts: Acts;
  readonly onAct: (act: Act) => void;
  readonly onSchedule: () => void;
}

export function useEdge(changeset: ChangesetAnswer): 'plain' | 'production' {
  const touched = new Set(changeset.operations.map(({ environment }) => environment?.id));
  return useEnvironments().some(({ id, production }) => production && touched.has(id)) ? 'production' : 'plain';
}

export const wherein = (changeset: ChangesetAnswer): string => placesOf(changeset).join(' and ') || 'the project';

/** The next step, if it is the user's. */
export function DecisionBar({ changeset, plan, acts, onAct, onSchedule }: BarProps) {
  const edge = useEdge(changeset);
  const missing = missingApprovals(plan);
  const isDraft = changeset.status === 'DRAFT';
  const mayApply = acts.apply === undefined;
  if (acts.approve === undefined) {
    return (
      <SaveBar
        label="Decide"
        edge={edge}
        title={`Approve it for ${wherein(changeset)}?`}
        line={missing.length > 1 ? `${missing.length} approvals are missing.` : approvedWords(changeset)}
      >
        <Button look="quiet" onClick={() => onAct('askForChanges')}>
          Ask for changes
        </Button>
        <Button onClick={() => onAct('reject')}>Reject</Button>
        <Button look="primary" onClick={() => onAct('approve')}>
          Approve
        </Button>
      </SaveBar>
    );
  }
  if (isScheduled(changeset)) return <ScheduleBar {...{ changeset, acts, onAct }} />;
  return (
    <SaveBar
      label="Decide"
      edge={mayApply ? edge : 'plain'}
      title={titleFor(changeset, { isDraft, mayApply })}
      line={mayApply ? applyWords(changeset) : lineFor(plan, acts, isDraft)}
    >
      {acts.schedule !== 'hidden' && (
        <Button refusal={acts.schedule} onClick={onSchedule}>
          Schedule…
        </Button>
      )}
      {isDraft && acts.request !== 'hidden' && (needsAsking(plan) || !mayApply) && (
        <Button
          look={mayApply ? 'plain' : 'primary'}
          refusal={acts.request}
          onClick={() => onAct(needsAsking(plan) ? 'request' : 'propose')}
        >
          {needsAsking(plan) ? 'Ask for approval' : 'Propose'}
        </Button>
      )}
      {(mayApply || !isDraft) && acts.apply !== 'hidden' && (
        <Button look="primary" refusal={acts.apply} onClick={() => onAct('apply')}>
          Apply to {wherein(changeset)}
        </Button>
      )}
    </SaveBar>
  );
}

/** Someone may have to approve it, even if the viewer may skip approvals. */
const needsAsking = ({ approvals }: ChangesetPlan): boolean => approvals.some(({ without }) => without !== 'kill');

const applyWords = ({ operations: [only, ...others] }: ChangesetAnswer): string =>
  only && others.length === 0 ? `It changes ${objectOf(only).name}.` : 'All operations together, or none.';

/** Pauses, resumes, hurries and ends a schedule. */
function ScheduleBar({ changeset, acts, onAct }: Omit<BarProps, 'plan' | 'onSchedule'>) {
  const edge = useEdge(changeset);
  const { title, line } = scheduleWords(changeset, acts);
  return (
    <SaveBar label="Decide" edge={edge} title={title} line={line}>
      {acts.abort !== 'hidden' && (
        <Button look="danger" refusal={acts.abort} onClick={() => onAct('abort')}>
          Abort
        </Button>
      )}
      {acts.skip !== 'hidden' && (
        <Button refusal={acts.skip} onClick={() => onAct('skip')}>
          Skip the wait
        </Button>
      )}
      {acts.pause !== 'hidden' && (
        <Button refusal={acts.pause} onClick={() => onAct('pause')}>
          Pause
        </Button>
      )}
      {acts.resume !== 'hidden' && (
        <Button look="primary" refusal={acts.resume} onClick={() => onAct('resume')}>
          Resume
        </Button>
      )}
    </SaveBar>
  );
}

function scheduleWords(changeset: ChangesetAnswer, acts: Acts): { readonly title: string; readonly line: string } {
  const { schedule } = changeset;
  const phase = phaseOf(changeset);
  const count = (schedule?.steps.length ?? 0) + 1;
  const step = count === 1 ? 'It' : `Step ${(schedule?.appliedAt.length ?? 0) + 1} of ${count}`;
  if (phase === 'requested') {
    const line = acts.isAuthor ? 'Someone else must approve it.' : 'Waiting for someone who can approve it.';
    return { title: 'It waits for an approval', line };
  }
  if (phase === 'paused') return { title: 'Paused', line: `${step} waits until someone resumes it.` };
  if (phase === 'held') {
    // Where approvals are required, people who could approve can resume it.
    const isOthers = acts.resume !== undefined && acts.resume !== 'hidden';
    return { title: `${step} holds`, line: isOthers ? acts.resume : 'It is applied when someone resumes it.' };
  }
  const isSeveral = changeset.operations.length > 1;
  const zone = schedule?.at?.zone ?? zoneHere();
  const dueAt = schedule?.dueAt ?? 0;
  if (dueAt <= Date.now()) return { title: `${step} is due`, line: 'It is applied in a moment.' };
  return {
    title: `${step} is applied on ${timeWords(dueAt, zone)}`,
    line: `${zone}.${isSeveral ? ' All of it together, or nothing.' : ''}`,
  };
}

function titleFor(
  { status }: ChangesetAnswer,
  { isDraft, mayApply }: { readonly isDraft: boolean; readonly mayApply: boolean },
): string {
  if (mayApply) return isDraft ? 'This draft can be applied' : 'It can be applied';
  if (isDraft) return 'This is a draft';
  return status === 'REQUESTED' ? 'It waits for an approval' : 'It cannot be applied now';
}

function lineFor(plan: ChangesetPlan, { apply, isAuthor }: Acts, isDraft: boolean): string {
  if (missingApprovals(plan).length > 0 && !isDraft && isAuthor) return 'Someone else must approve it.';
  return apply === undefined || apply === 'hidden' ? '' : apply;
}
