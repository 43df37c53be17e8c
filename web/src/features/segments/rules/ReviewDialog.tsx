import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listChanges } from '#contract/changes.ts';
import { getRuleBasedDefinition, replaceRuleBasedDefinition } from '#contract/rule-based-segments.ts';
import { listSegments, listSegmentUsers } from '#contract/segments.ts';
import { toSegmentRules } from '#domain/segment-targeting.ts';
import { proposedWords, usePropose } from '../../../changesets/propose.ts';
import { Failure } from '../../../kit/Failure.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { call, keyOf } from '../../../server/api.ts';
import { type Environment, useProject } from '../../../server/project.ts';
import { type Draft, readDraft, writeDraft } from '../../../state/drafts.ts';
import { toast, toastFailure } from '../../../state/toasts.ts';
import { CallView } from '../../../targeting/CallView.tsx';
import { DifferenceBox } from '../../../targeting/DifferenceBox.tsx';
import { discardSent } from '../../../targeting/draft-edits.ts';
import { Button } from '../../../ui/Button.tsx';
import { Modal, ModalBody, ModalFoot } from '../../../ui/Modal.tsx';
import type { SegmentAnswer } from '../segments-query.ts';
import type { RulesEditing, SegmentDefinition } from './use-rules.ts';

interface Props {
  readonly segment: SegmentAnswer;
  readonly environment: Environment;
  readonly saved: SegmentDefinition;
  readonly editing: RulesEditing & { readonly draft: Draft };
  /** To others, instead of saving it. */
  readonly isProposed: boolean;
  readonly onClose: () => void;
}

/** Shows each change before saving, and asks why it is made. */
export function ReviewDialog({ segment, environment, saved, editing, isProposed, onClose }: Props) {
  const { draft, place, differences } = editing;
  const project = useProject();
  const client = useQueryClient();
  const [isJsonShown, setJsonShown] = useState(false);
  const isRequired = project.requiresTitleAndComments;
  const params = { project: project.id, ruleBasedSegment: segment.name, environment: environment.id };
  const reading = keyOf(getRuleBasedDefinition, { params });
  const { propose, open } = usePropose();
  const body = toSegmentRules(draft.targeting, saved);
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: async (values) => {
      if (isProposed) {
        const edit = { kind: 'replaceRules' as const, body };
        const made = await propose(
          [{ segment: segment.name, environment: environment.id, edit, ...(draft.etag && { ifMatch: draft.etag }) }],
          noteOf(values),
        );
        discardSent(place, draft);
        return made;
      }
      const ifMatch = draft.etag ?? undefined;
      const answer = await call(replaceRuleBasedDefinition, { params, query: noteOf(values), body, ifMatch });
      await client.cancelQueries({ queryKey: reading });
      discardSent(place, draft);
      client.setQueryData(reading, answer);
      return undefined;
    },
    onDone: (proposed) => {
      onClose();
      if (proposed) return open(proposed, proposedWords(proposed));
      toast(`Saved to ${environment.name}.`);
      for (const one of [listSegments, listSegmentUsers, listChanges]) {
        void client.invalidateQueries({ queryKey: keyOf(one) });
      }
    },
    // Someone else saved first. The page loads their version and rebases the draft.
    onProblem: ({ status }, { title, comment }) => {
      if (status !== 412) return false;
      const now = readDraft(place);
      if (now) writeDraft(place, { ...now, title, comment });
      onClose();
      client
        .invalidateQueries({ queryKey: reading }, { throwOnError: true })
        .catch(() =>
          toastFailure('Not saved: someone else changed the rules, and their change could not be loaded. Try again.'),
        );
      return true;
    },
  });
  // Edits during the request would not have been reviewed.
  const close = () => {
    if (!isSending) onClose();
  };
  const count = differences.length === 1 ? '1 change' : `${differences.length} changes`;
  return (
    <Modal title={`${isProposed ? 'Propose' : 'Save'} ${count} to ${environment.name}?`} onClose={close}>
      <form {...form}>
        <ModalBody>
          {differences.map((difference, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is rebuilt each time
            <DifferenceBox key={index} difference={difference} order={[]} trafficType={segment.trafficType.name} />
          ))}
          {isJsonShown && (
            <CallView what="JSON" endpoint={replaceRuleBasedDefinition} params={params} body={body} etag={draft.etag} />
          )}
          <NoteFields isRequired={isRequired} title={draft.title ?? ''} comment={draft.comment} errors={errors} />
          {problem && <Failure problem={problem} />}
        </ModalBody>
        <ModalFoot
          edge={environment.production ? 'production' : 'plain'}
          aside={
            <Button look="quiet" aria-expanded={isJsonShown} onClick={() => setJsonShown(!isJsonShown)}>
              Show as JSON
            </Button>
          }
        >
          <Button onClick={close}>Keep editing</Button>
          <Button type="submit" look="primary" isBusy={isSending}>
            {isProposed ? 'Propose' : 'Save'} to {environment.name}
          </Button>
        </ModalFoot>
      </form>
    </Modal>
  );
}
