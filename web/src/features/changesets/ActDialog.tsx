import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  applyChangeset,
  approveChangeset,
  askForChanges,
  changeChangeset,
  rejectChangeset,
  requestChangeset,
  revertChangeset,
  withdrawChangeset,
} from '#contract/changesets.ts';
import { abortChangeset, pauseChangeset, resumeChangeset, skipWait } from '#contract/schedules.ts';
import { revertTitle } from '#domain/notes.ts';
import { type ChangesetAnswer, changesetReading, keepChangeset, titleOf } from '../../changesets/changesets-query.ts';
import { hasBegun, phaseOf } from '../../changesets/schedule-words.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { NoteFields, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import type { Look } from '../../ui/Button.tsx';
import { focusWhenLost } from '../../ui/focus.ts';
import { TextArea } from '../../ui/TextArea.tsx';
import { type Act, useEdge, wherein } from './DecisionBar.tsx';

interface DialogProps {
  readonly act: Act;
  readonly changeset: ChangesetAnswer;
  readonly onClose: () => void;
}

interface ActWords {
  readonly title: string;
  readonly about: ReactNode;
  readonly submit: string;
  readonly done: string;
  readonly look?: Look;
  /** What is asked for: a remark, or nothing. */
  readonly remark?: string;
  readonly isRemarkNeeded?: boolean;
}

const wordsOf = (act: Act, changeset: ChangesetAnswer): ActWords => {
  const where = wherein(changeset);
  const isSingle = changeset.operations.length === 1;
  const count = isSingle ? '1 change' : `${changeset.operations.length} changes`;
  const isDraft = changeset.status === 'DRAFT';
  const isHeld = phaseOf(changeset) === 'held';
  return {
    request: {
      title: 'Ask for approval?',
      about: 'Those who can approve it see it in their list. Any edit afterwards voids approvals.',
      submit: 'Ask for approval',
      done: 'Asked for approval.',
      remark: 'What should they know?',
    },
    propose: {
      title: 'Propose it?',
      about: 'It needs no approval. Those who can apply it see it in their list.',
      submit: 'Propose',
      done: 'Proposed.',
      remark: 'What should they know?',
    },
    approve: {
      title: `Approve it for ${where}?`,
      about: 'You approve exactly what this page shows. If anyone edits it, your approval is void.',
      submit: 'Approve',
      done: 'Approved.',
      remark: 'Comment',
    },
    askForChanges: {
      title: 'Ask for changes?',
      about:
        'Its author sees your comment here, and by mail if Burgee sends mails. It stays open, and you can still approve or reject it.',
      submit: 'Ask for changes',
      done: 'Asked for changes.',
      remark: 'What should change?',
      isRemarkNeeded: true,
    },
    reject: {
      title: 'Reject this changeset?',
      about: 'It cannot be applied any more. It stays readable, with your reason.',
      submit: 'Reject',
      done: 'Rejected.',
      look: 'danger-fill' as const,
      remark: 'Reason',
    },
    apply: {
      title: `Apply ${count} to ${where}?`,
      about: isSingle ? 'SDKs get it at once.' : 'All of them in one step, or none. SDKs get them at once.',
      submit: `Apply to ${where}`,
      done: `Applied to ${where}.`,
    },
    withdraw: {
      title: isDraft ? 'Discard this draft?' : 'Withdraw this changeset?',
      about: 'It cannot be applied any more. It stays readable.',
      submit: isDraft ? 'Discard draft' : 'Withdraw',
      done: isDraft ? 'Discarded.' : 'Withdrawn.',
      look: 'danger-fill' as const,
    },
    edit: {
      title: 'Edit title and comment',
      about: isDraft ? undefined : 'This voids its approvals.',
      submit: 'Save',
      done: 'Saved.',
    },
    revert: {
      title: `Revert ${titleOf(changeset)}?`,
      about:
        'Makes a draft that takes back what it changed. What others changed since stays. Nothing changes until you apply the draft.',
      submit: 'Make the draft',
      done: 'Here is the draft. Nothing has changed yet.',
    },
    pause: {
      title: 'Pause the schedule?',
      about: 'What was applied stays. The next step waits until someone resumes it.',
      submit: 'Pause',
      done: 'Paused.',
      remark: 'Reason',
    },
    resume: {
      title: isHeld ? `Resume with the next step in ${where}?` : 'Resume the schedule?',
      about: isHeld
        ? 'The next step is applied at once. SDKs get it at once.'
        : 'It continues with what was left of the wait. A time that has passed meanwhile is due at once.',
      submit: 'Resume',
      done: 'Resumed.',
      remark: 'Comment',
    },
    skip: {
      title: `Apply the next step to ${where} now?`,
      about: 'It does not wait any longer. Steps after it wait as planned.',
      submit: `Apply to ${where} now`,
      done: 'The next step is applied now.',
      remark: 'Comment',
    },
    abort: {
      title: 'Abort the schedule?',
      about: hasBegun(changeset)
        ? 'What was applied stays. The other steps are not applied. You can revert it afterwards.'
        : 'Nothing was applied. It becomes a draft again, without a schedule and without approvals.',
      submit: 'Abort the schedule',
      done: hasBegun(changeset) ? 'Aborted. What was applied stays.' : 'Aborted. It is a draft again.',
      look: 'danger-fill' as const,
      remark: 'Reason',
    },
  }[act];
};

/** Asks before it is done, with what it means. */
export function ActDialog({ act, changeset, onClose }: DialogProps) {
  const client = useQueryClient();
  const project = useProject();
  const navigate = useNavigate();
  const edge = useEdge(changeset);
  const words = wordsOf(act, changeset);
  const isRequired = project.requiresTitleAndComments;
  const hasNote = act === 'edit' || (act === 'revert' && isRequired);
  const note = noteRules(isRequired);
  const remark: FieldRule = {
    check: (value) => (words.isRemarkNeeded && value.trim() === '' ? 'Say what should change.' : undefined),
  };
  const { form, errors, problem, isSending } = useForm({
    rules: { ...(hasNote ? note : { title: {}, comment: {} }), remark },
    send: (values) => sendAct(act, changeset, values),
    onDone: async (answer) => {
      await keepChangeset(client, answer);
      onClose();
      focusWhenLost();
      toast(words.done);
      if (act === 'apply') void client.invalidateQueries();
      if (act === 'revert') {
        await navigate({
          to: '/p/$project/changesets/$changeset',
          params: { project: project.name, changeset: answer.id },
        });
      }
    },
    // The page shows what it is now, and the dialog what was refused.
    onProblem: ({ status }) => {
      if (status === 412 || status === 409) {
        void client.invalidateQueries({ queryKey: changesetReading(changeset.id).queryKey });
      }
      return false;
    },
  });
  return (
    <FormModal
      title={words.title}
      about={words.about}
      {...(words.look && { kind: 'alert', look: words.look })}
      edge={changing.includes(act) ? edge : 'plain'}
      submit={words.submit}
      {...{ form, problem, isSending, onClose }}
    >
      {hasNote && (
        <NoteFields
          isRequired={isRequired}
          title={act === 'edit' ? changeset.title : revertTitle(changeset.title)}
          comment={act === 'edit' ? changeset.comment : ''}
          errors={errors}
        />
      )}
      {words.remark !== undefined && (
        <TextArea
          name="remark"
          label={words.remark}
          aside={words.isRemarkNeeded ? undefined : <small>optional</small>}
          rows={2}
          maxLength={2_000}
          error={errors.remark}
        />
      )}
    </FormModal>
  );
}

/** Acts after which something may change for users. */
const changing: readonly Act[] = ['apply', 'approve', 'resume', 'skip'];

type Values = Readonly<Record<'title' | 'comment' | 'remark', string>>;

async function sendAct(act: Act, changeset: ChangesetAnswer, { title, comment, remark }: Values) {
  const { id, etag: ifMatch } = changeset;
  const params = { changeset: id };
  const body = remark.trim() === '' ? {} : { comment: remark.trim() };
  switch (act) {
    case 'request':
    case 'propose':
      return call(requestChangeset, { params, body, ifMatch });
    case 'approve':
      return call(approveChangeset, { params, body, ifMatch });
    case 'askForChanges':
      return call(askForChanges, { params, body: { comment: remark.trim() }, ifMatch });
    case 'reject':
      return call(rejectChangeset, { params, body, ifMatch });
    case 'apply':
      return call(applyChangeset, { params, ifMatch });
    case 'pause':
      return call(pauseChangeset, { params, body, ifMatch });
    case 'resume':
      return call(resumeChangeset, { params, body, ifMatch });
    case 'skip':
      return call(skipWait, { params, body, ifMatch });
    case 'abort':
      return call(abortChangeset, { params, body, ifMatch });
    case 'edit':
      return call(changeChangeset, { params, body: { title: title.trim(), comment: comment.trim() }, ifMatch });
    case 'revert': {
      const given = {
        ...(title.trim() && { title: title.trim() }),
        ...(comment.trim() && { comment: comment.trim() }),
      };
      return call(revertChangeset, { params, body: given });
    }
    case 'withdraw': {
      // The reply to DELETE has no version.
      const withdrawn = await call(withdrawChangeset, { params, ifMatch });
      return { ...withdrawn, etag: '' };
    }
  }
}
