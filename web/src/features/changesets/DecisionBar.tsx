import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import { type ChangesetAnswer, placesOf } from '../../changesets/changesets-query.ts';
import { SaveBar } from '../../kit/SaveBar.tsx';
import { useEnvironments } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { type Acts, missingApprovals } from './use-acts.ts';

export type Act = 'request' | 'approve' | 'reject' | 'apply' | 'withdraw' | 'edit' | 'revert';

interface BarProps {
  readonly changeset: ChangesetAnswer;
  readonly plan: ChangesetPlan;
  readonly acts: Acts;
  readonly onAct: (act: Act) => void;
}

export function useEdge(changeset: ChangesetAnswer): 'plain' | 'production' {
  const touched = new Set(changeset.operations.map(({ environment }) => environment?.id));
  return useEnvironments().some(({ id, production }) => production && touched.has(id)) ? 'production' : 'plain';
}

export const wherein = (changeset: ChangesetAnswer): string => placesOf(changeset).join(' and ') || 'the project';

/** The next step, if it is the user's. */
export function DecisionBar({ changeset, plan, acts, onAct }: BarProps) {
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
        line={missing.length > 1 ? `${missing.length} approvals are missing.` : 'It can be applied then.'}
      >
        <Button onClick={() => onAct('reject')}>Reject</Button>
        <Button look="primary" onClick={() => onAct('approve')}>
          Approve
        </Button>
      </SaveBar>
    );
  }
  return (
    <SaveBar
      label="Decide"
      edge={mayApply ? edge : 'plain'}
      title={titleFor(changeset, { isDraft, mayApply })}
      line={mayApply ? 'All operations together, or none.' : lineFor(plan, acts, isDraft)}
    >
      {isDraft && acts.request !== 'hidden' && (
        <Button look={mayApply ? 'plain' : 'primary'} refusal={acts.request} onClick={() => onAct('request')}>
          Ask for approval
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
