import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useRef, useState } from 'react';
import { createChangeset } from '#contract/changesets.ts';
import { createDefinition, patchDefinition } from '#contract/definitions.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { operationOf, proposedWords, scheduledWords, usePropose } from '../../../changesets/propose.ts';
import { complaintsOf, newPlan, type Plan, scheduledAs } from '../../../changesets/ramp.ts';
import { Failure } from '../../../kit/Failure.tsx';
import { type FieldRule, useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { type Environment, needsApproval, useProject } from '../../../server/project.ts';
import { useMay } from '../../../server/session.ts';
import { type Draft, definitionAt, readDraft, writeDraft } from '../../../state/drafts.ts';
import { lazyPart } from '../../../state/lazy.ts';
import { changeToast, toast } from '../../../state/toasts.ts';
import { CallView } from '../../../targeting/CallView.tsx';
import { DifferenceBox } from '../../../targeting/DifferenceBox.tsx';
import { discardSent } from '../../../targeting/draft-edits.ts';
import { Button } from '../../../ui/Button.tsx';
import { focusWhenLost } from '../../../ui/focus.ts';
import { Modal, ModalBody, ModalFoot } from '../../../ui/Modal.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { useDefinition } from '../editing/editor.ts';
import { EffectView } from './EffectView.tsx';
import { Findings } from './Findings.tsx';
import { followChange } from './follow-change.ts';
import { NewDefinition } from './NewDefinition.tsx';
import styles from './ReviewDialog.module.css';
import { SaveWays, type Way, waysFor } from './SaveWays.tsx';
import { type Note, readOthers, useDefinitionParams, useSave } from './save.ts';
import { useEffectOf } from './use-effect-of.ts';
import { useFindings } from './use-findings.ts';

const AddToChangeset = lazyPart('AddToChangeset', () => import('./AddToChangeset.tsx'));
const ScheduleFields = lazyPart('ScheduleFields', () => import('./ScheduleFields.tsx'));

interface Props {
  readonly draft: Draft;
  readonly onClose: () => void;
}

/** Shows each change before saving, and asks why it is made. */
export function ReviewDialog({ draft, onClose }: Props) {
  const { environment, place, order, trafficType, refusal, isProposing, setOpenRule } = useDefinition();
  const isProposal = isProposing || needsApproval(environment);
  const project = useProject();
  const client = useQueryClient();
  const words = useDefinitionParams();
  const save = useSave();
  const navigate = useNavigate();
  const { propose, schedule, open } = usePropose();
  const may = useMay();
  const [isCallShown, setCallShown] = useState(false);
  const [isCollecting, setCollecting] = useState(false);
  const ways = waysFor(environment, { refusal, isProposing });
  const way = useRef<Way>(ways.at(-1)?.way ?? 'save');
  // Set once someone chooses to schedule it.
  const [plan, setPlan] = useState<Plan>();
  const proposal = async (sent: Draft, note: Note) => {
    const params = { flag: words.flag, environment: words.environment };
    const asked = plan && scheduledAs(plan, sent, params);
    const made = asked
      ? await schedule(asked.operation, asked.schedule, note)
      : await propose([operationOf(sent, words)], note);
    discardSent(place, sent);
    return made;
  };
  const isRequired = project.requiresTitleAndComments;
  const complaints = plan ? complaintsOf(plan, draft, Date.now()) : {};
  const timing = Object.entries(complaints).map(([name, words]): [string, FieldRule] => [name, { check: () => words }]);
  const { form, errors, problem, isSending } = useForm({
    rules: { ...noteRules(isRequired), ...Object.fromEntries(timing) },
    send: async (values) =>
      way.current === 'save' && !plan
        ? { saved: await save(draft, noteOf(values)) }
        : { proposed: await proposal(draft, noteOf(values)) },
    onDone: async ({ saved, proposed }) => {
      onClose();
      setOpenRule(undefined);
      if (proposed) return open(proposed, plan ? scheduledWords(proposed) : proposedWords(proposed));
      focusWhenLost();
      const { lastUpdateTime } = saved;
      const text = `Saved to ${environment.name}.`;
      const id = toast(text, undefined, definitionAt(place));
      const to = { project: project.name, environment: environment.name };
      const run = () => void navigate({ to: '/p/$project/sdks/$environment', params: to });
      void followChange(words, lastUpdateTime, (holders, isLast) =>
        changeToast(id, {
          text: `${text} ${holders}`.trim(),
          action: holders === '' ? undefined : { label: 'See SDKs', run },
          isFollowing: !isLast,
        }),
      );
    },
    // Someone else saved first. The page loads their version, rebases the draft and says so.
    onProblem: ({ status }, { title, comment }) => {
      if (status !== 412 && status !== 409) return false;
      const now = readDraft(place);
      if (now) writeDraft(place, { ...now, title, comment });
      onClose();
      void readOthers(client, words);
      return true;
    },
  });
  // Edits during the request would not have been reviewed.
  const close = () => {
    if (!isSending) onClose();
  };
  /** What was typed here is offered there. */
  const collect = (typed: HTMLFormElement | null) => {
    const fields = new FormData(typed ?? undefined);
    const [title, comment] = ['title', 'comment'].map((name) => String(fields.get(name) ?? ''));
    writeDraft(place, { ...draft, title: title ?? '', comment: comment ?? '' });
    setCollecting(true);
  };
  const leavePlan = () => {
    setPlan(undefined);
    form.ref.current?.querySelector<HTMLElement>('[name="title"]')?.focus();
  };
  const effect = useEffectOf(environment.id, draft.base ?? undefined, draft.targeting);
  const findings = useFindings({ environment, targeting: draft.targeting, base: draft.base ?? undefined, effect });
  const differences = draft.base ? differencesBetween(draft.base, draft.targeting) : [];
  if (isCollecting) {
    return (
      <Suspense>
        <AddToChangeset draft={draft} onBack={() => setCollecting(false)} onClose={onClose} />
      </Suspense>
    );
  }
  return (
    <Modal
      title={titleOf({ draft, count: differences.length, environment, plan, isProposal })}
      onClose={close}
      size="wide"
    >
      <form {...form}>
        <ModalBody>
          {draft.base && !plan && (
            <EffectView effect={effect} defaultTreatment={draft.targeting.defaultTreatment} order={order} />
          )}
          {isCallShown && !plan && <CallView {...requestOf(draft)} params={words} etag={draft.etag} />}
          <div className={styles.columns}>
            <div className={styles.column}>
              {plan ? (
                <Suspense>
                  <ScheduleFields
                    {...{ plan, draft, order, errors }}
                    needsApproval={needsApproval(environment)}
                    onChange={setPlan}
                  />
                </Suspense>
              ) : draft.base ? (
                differences.map((difference, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the list is rebuilt each time
                  <DifferenceBox key={index} difference={difference} order={order} trafficType={trafficType} />
                ))
              ) : (
                <NewDefinition targeting={draft.targeting} />
              )}
            </div>
            <div className={`${styles.column} ${styles.note}`}>
              <Findings findings={findings} />
              <NoteFields isRequired={isRequired} title={draft.title ?? ''} comment={draft.comment} errors={errors} />
              {needsApproval(environment) && (
                <Notice kind="plain">
                  Changes in {environment.name} need the approval of someone else. Nothing changes until they approve it
                  {plan ? '; asking for it is part of scheduling.' : ' and it is applied.'}
                </Notice>
              )}
              {problem ? (
                <Failure problem={problem} />
              ) : (
                refusal !== undefined && <Notice kind="plain">{refusal}</Notice>
              )}
            </div>
          </div>
        </ModalBody>
        <ModalFoot
          edge={environment.production ? 'production' : 'plain'}
          aside={
            plan ? (
              <Button look="quiet" onClick={leavePlan}>
                Back to the changes
              </Button>
            ) : (
              <>
                <Button look="quiet" aria-expanded={isCallShown} onClick={() => setCallShown(!isCallShown)}>
                  {isCallShown ? 'Hide' : 'Show as'} {draft.base ? 'JSON patch' : 'JSON'}
                </Button>
                {may(createChangeset) && (
                  <Button look="quiet" refusal={refusal} onClick={({ currentTarget }) => collect(currentTarget.form)}>
                    Add to changeset…
                  </Button>
                )}
              </>
            )
          }
        >
          <Button onClick={close}>Keep editing</Button>
          {plan ? (
            <Button type="submit" look="primary" isBusy={isSending} refusal={refusal}>
              Schedule for {environment.name}
            </Button>
          ) : (
            <SaveWays
              ways={ways}
              isSending={isSending}
              onChoose={(chosen) => (way.current = chosen)}
              onSchedule={() => setPlan(newPlan(draft, Date.now()))}
            />
          )}
        </ModalFoot>
      </form>
    </Modal>
  );
}

const requestOf = ({ base, targeting }: Draft) =>
  base
    ? { what: 'JSON patch', endpoint: patchDefinition, body: diffTargeting(base, targeting) }
    : { what: 'JSON', endpoint: createDefinition, body: targeting };

interface Titled {
  readonly draft: Draft;
  readonly count: number;
  readonly environment: Environment;
  readonly plan: Plan | undefined;
  readonly isProposal: boolean;
}

function titleOf({ draft: { base }, count, environment: { name }, plan, isProposal }: Titled): string {
  if (plan) return base ? `Schedule ${counted(count)} to ${name}` : `Schedule the definition in ${name}`;
  if (!base) return isProposal ? `Propose to define the flag in ${name}?` : `Define the flag in ${name}?`;
  return `${isProposal ? 'Propose' : 'Save'} ${counted(count)} to ${name}?`;
}

const counted = (count: number): string => (count === 1 ? '1 change' : `${count} changes`);
