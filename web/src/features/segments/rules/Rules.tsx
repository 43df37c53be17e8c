import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { getRuleBasedDefinition, replaceRuleBasedDefinition } from '#contract/rule-based-segments.ts';
import { addRule, duplicateRule, removeRule } from '#domain/definitions/edit-rules.ts';
import { useProposing } from '../../../changesets/use-proposing.ts';
import { Loaded } from '../../../kit/Loaded.tsx';
import { SaveBar } from '../../../kit/SaveBar.tsx';
import { ProdChip } from '../../../kit/StatusChip.tsx';
import { reading } from '../../../server/api.ts';
import { type Environment, needsApproval, useProject } from '../../../server/project.ts';
import { definitionsRefreshMs } from '../../../server/query-client.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { isKept } from '../../../state/drafts.ts';
import { lazyPart } from '../../../state/lazy.ts';
import { usePageActions } from '../../../state/page-actions.ts';
import { useLeaveWarning } from '../../../state/use-leave-warning.ts';
import { differenceLine } from '../../../targeting/difference-words.ts';
import { RulePlaceContext } from '../../../targeting/rule-place.ts';
import { AddRule, StepFrame, StepMark, Steps } from '../../../targeting/Steps.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import pageStyles from '../SegmentPage.module.css';
import { type SegmentAnswer, useSegmentChanges } from '../segments-query.ts';
import { ExcludedStep } from './ExcludedStep.tsx';
import { RuleStep } from './RuleStep.tsx';
import styles from './Rules.module.css';
import { type SegmentDefinition, useDraftPlace, useRules } from './use-rules.ts';

const ConflictPanel = lazyPart('ConflictPanel', () => import('../../../targeting/ConflictPanel.tsx'));
const ProposeChange = lazyPart('ProposeChange', () => import('../../../changesets/ProposeChange.tsx'));
const ReviewDialog = lazyPart('ReviewDialog', () => import('./ReviewDialog.tsx'));

interface Props {
  readonly segment: SegmentAnswer;
  readonly environment: Environment;
}

/** The rules of a rule-based segment in an environment, edited in place. */
export function Rules({ segment, environment }: Props) {
  const params = { project: useProject().id, ruleBasedSegment: segment.name, environment: environment.id };
  const query = useQuery({
    ...reading(getRuleBasedDefinition, { params }),
    refetchInterval: definitionsRefreshMs,
  });
  return (
    <>
      <h2 className={pageStyles.title}>
        {environment.name} {environment.production && <ProdChip />}
      </h2>
      <Loaded query={query}>
        {(saved) => <RulesView segment={segment} environment={environment} saved={saved} />}
      </Loaded>
    </>
  );
}

const whyNotId = 'why-not';

function RulesView({ segment, environment, saved }: Props & { readonly saved: SegmentDefinition }) {
  const editing = useRules(useDraftPlace(segment, environment.id), saved);
  const { draft, targeting, differences, complaints, change } = editing;
  const cannotSave = useWhyNot()(replaceRuleBasedDefinition, { environment: environment.id });
  const { isProposing, refusal, propose } = useProposing(editing, cannotSave);
  const isProposed = isProposing || needsApproval(environment);
  const trafficType = segment.trafficType.name;
  const [open, setOpen] = useState<number>();
  const [isAttempted, setAttempted] = useState(false);
  const [isReviewing, setReviewing] = useState(false);
  const changes = useSegmentChanges(segment, environment);
  // Someone else may save while the review is open: what both changed is decided before it is saved.
  if (isReviewing && draft && draft.conflicts.length > 0) setReviewing(false);
  useLeaveWarning(draft !== undefined && !isKept(editing.place));
  const add = () => {
    setOpen(targeting.rules.length);
    change(addRule);
  };
  usePageActions([{ label: 'Add a rule', keys: 'r', icon: Plus, opensField: true, run: add, refusal }]);
  const incomplete = complaints.findIndex((words) => words.length > 0);
  const review = () => {
    const blocked = incomplete >= 0 ? `rule ${incomplete}` : draft?.conflicts.length ? 'conflicts' : undefined;
    if (blocked === undefined) return setReviewing(true);
    setAttempted(true);
    if (incomplete >= 0) setOpen(incomplete);
    document.querySelector(`[data-step="${blocked}"]`)?.scrollIntoView({ block: 'center' });
  };
  const changed = new Set(differences.flatMap((one) => (one.kind === 'rule' && one.after ? [one.after.at] : [])));
  const place = {
    environment,
    trafficType,
    trafficTypeId: segment.trafficType.id,
    flag: undefined,
    segment: segment.name,
  };
  return (
    <RulePlaceContext value={place}>
      {cannotSave !== undefined && (
        <Notice kind="plain" id={whyNotId}>
          {cannotSave}
          {isProposing && ' What you change here is proposed to them.'}
        </Notice>
      )}
      <Suspense>{refusal !== undefined && <ProposeChange onPropose={propose} />}</Suspense>
      <Suspense>
        {draft && draft.conflicts.length > 0 && (
          <ConflictPanel draft={draft} place={editing.place} order={[]} trafficType={trafficType} changes={changes} />
        )}
      </Suspense>
      <Steps label="Evaluated in this order">
        <ExcludedStep editing={editing} refusal={refusal} />
        {targeting.rules.map((rule, index) => (
          <RuleStep
            // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id
            key={index}
            rule={rule}
            index={index}
            editing={editing}
            refusal={refusal}
            isOpen={open === index}
            isChanged={changed.has(index)}
            isAttempted={isAttempted}
            onOpen={() => setOpen(index)}
            onClose={() => setOpen(undefined)}
            onDuplicate={() => {
              change((before) => duplicateRule(before, index));
              setOpen(index + 1);
            }}
            onRemove={() => {
              change((before) => removeRule(before, index));
              setOpen(undefined);
            }}
          />
        ))}
        <AddRule
          {...(refusal === undefined ? { onClick: add } : { 'aria-disabled': true, 'aria-describedby': whyNotId })}
        />
        <StepFrame id="defaultRule" mark={<StepMark />} isWide complaints={[]} isAttempted={false}>
          <h3 className={styles.title}>Everyone else</h3>
          <p className={styles.note}>
            {targeting.rules.length === 0
              ? 'There are no rules, so nobody is in the segment here.'
              : 'Is not in the segment.'}
          </p>
        </StepFrame>
      </Steps>
      {draft && (
        <DraftBar
          title={`${differences.length === 1 ? '1 unsaved change' : `${differences.length} unsaved changes`} in ${environment.name}`}
          line={
            refusal ??
            (draft.conflicts.length > 0
              ? 'Resolve the conflict first.'
              : incomplete >= 0
                ? isAttempted
                  ? `Rule ${incomplete + 1}: ${complaints[incomplete]?.[0]}`
                  : 'The draft is incomplete.'
                : differences.map((one) => differenceLine(one, trafficType)).join('; '))
          }
          review={isProposed ? 'Review and propose' : 'Review and save'}
          refusal={refusal}
          onDiscard={() => {
            setAttempted(false);
            setOpen(undefined);
            editing.discard();
          }}
          onReview={review}
        />
      )}
      <Suspense>
        {draft && isReviewing && (
          <ReviewDialog
            segment={segment}
            environment={environment}
            saved={saved}
            editing={{ ...editing, draft }}
            isProposed={isProposed}
            onClose={() => setReviewing(false)}
          />
        )}
      </Suspense>
    </RulePlaceContext>
  );
}

interface BarProps {
  readonly title: string;
  readonly line: string;
  /** The label of the button that opens the review. */
  readonly review: string;
  readonly refusal: string | undefined;
  readonly onDiscard: () => void;
  readonly onReview: () => void;
}

function DraftBar({ title, line, review, refusal, onDiscard, onReview }: BarProps) {
  usePageActions([
    { label: review, keys: 'mod+s', run: onReview, refusal },
    { label: 'Discard the draft', run: onDiscard },
  ]);
  return (
    <SaveBar title={title} line={line}>
      <Button look="quiet" onClick={onDiscard}>
        Discard
      </Button>
      <Button look="primary" refusal={refusal} onClick={onReview}>
        {review}
      </Button>
    </SaveBar>
  );
}
