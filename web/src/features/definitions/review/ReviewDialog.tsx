import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createDefinition, patchDefinition } from '#contract/definitions.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { Failure } from '../../../kit/Failure.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { useProject } from '../../../server/project.ts';
import { type Draft, readDraft, writeDraft } from '../../../state/drafts.ts';
import { changeToast, toast } from '../../../state/toasts.ts';
import { CallView } from '../../../targeting/CallView.tsx';
import { DifferenceBox } from '../../../targeting/DifferenceBox.tsx';
import { EffectView } from '../../../targeting/EffectView.tsx';
import { Button } from '../../../ui/Button.tsx';
import { focusWhenLost } from '../../../ui/focus.ts';
import { Modal, ModalBody, ModalFoot } from '../../../ui/Modal.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { useDefinition } from '../editing/editor.ts';
import { Findings } from './Findings.tsx';
import { followChange } from './follow-change.ts';
import { NewDefinition } from './NewDefinition.tsx';
import styles from './ReviewDialog.module.css';
import { readOthers, useDefinitionParams, useSave } from './save.ts';
import { useEffectOf } from './use-effect-of.ts';

interface Props {
  readonly draft: Draft;
  readonly onClose: () => void;
}

/** Shows each change before saving, and asks why it is made. */
export function ReviewDialog({ draft, onClose }: Props) {
  const { environment, place, order, trafficType, refusal, setOpenRule } = useDefinition();
  const project = useProject();
  const client = useQueryClient();
  const words = useDefinitionParams();
  const save = useSave();
  const navigate = useNavigate();
  const [isCallShown, setCallShown] = useState(false);
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: (values) => save(draft, noteOf(values)),
    onDone: ({ lastUpdateTime }) => {
      onClose();
      setOpenRule(undefined);
      focusWhenLost();
      const text = `Saved to ${environment.name}.`;
      const id = toast(text);
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
  const effect = useEffectOf(environment.id, draft.base ?? undefined, draft.targeting);
  const differences = draft.base ? differencesBetween(draft.base, draft.targeting) : [];
  return (
    <Modal title={titleOf(draft, differences.length, environment.name)} onClose={close} size="wide">
      <form {...form}>
        <ModalBody>
          {draft.base && (
            <EffectView effect={effect} defaultTreatment={draft.targeting.defaultTreatment} order={order} />
          )}
          {isCallShown && <CallView {...requestOf(draft)} params={words} etag={draft.etag} />}
          <div className={styles.columns}>
            <div className={styles.column}>
              {draft.base ? (
                differences.map((difference, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the list is rebuilt each time
                  <DifferenceBox key={index} difference={difference} order={order} trafficType={trafficType} />
                ))
              ) : (
                <NewDefinition targeting={draft.targeting} />
              )}
            </div>
            <div className={`${styles.column} ${styles.note}`}>
              <Findings targeting={draft.targeting} effect={draft.base ? effect : undefined} />
              <NoteFields isRequired={isRequired} title={draft.title ?? ''} comment={draft.comment} errors={errors} />
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
            <Button look="quiet" aria-expanded={isCallShown} onClick={() => setCallShown(!isCallShown)}>
              {isCallShown ? 'Hide' : 'Show as'} {draft.base ? 'JSON patch' : 'JSON'}
            </Button>
          }
        >
          <Button onClick={close}>Keep editing</Button>
          <Button type="submit" look="primary" isBusy={isSending} refusal={refusal}>
            Save to {environment.name}
          </Button>
        </ModalFoot>
      </form>
    </Modal>
  );
}

const requestOf = ({ base, targeting }: Draft) =>
  base
    ? { what: 'JSON patch', endpoint: patchDefinition, body: diffTargeting(base, targeting) }
    : { what: 'JSON', endpoint: createDefinition, body: targeting };

function titleOf({ base }: Draft, count: number, environment: string): string {
  if (!base) return `Define the flag in ${environment}?`;
  return count === 1 ? `Save 1 change to ${environment}?` : `Save ${count} changes to ${environment}?`;
}
