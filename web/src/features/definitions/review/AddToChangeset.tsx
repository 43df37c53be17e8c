import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { titleOf } from '../../../changesets/changesets-query.ts';
import { IntoChangeset } from '../../../changesets/IntoChangeset.tsx';
import { operationOf, usePropose } from '../../../changesets/propose.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import type { Draft } from '../../../state/drafts.ts';
import { toast } from '../../../state/toasts.ts';
import { discardSent } from '../../../targeting/draft-edits.ts';
import { Button } from '../../../ui/Button.tsx';
import { focusWhenLost } from '../../../ui/focus.ts';
import { useDefinition } from '../editing/editor.ts';
import { readOthers, useDefinitionParams } from './save.ts';

interface Props {
  readonly draft: Draft;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** The draft becomes part of a changeset instead of a separate change. The page stays, to collect more. */
export function AddToChangeset({ draft, onBack, onClose }: Props) {
  const { environment, place, setOpenRule } = useDefinition();
  const flag = useFlag();
  const project = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  const params = useDefinitionParams();
  const { collect } = usePropose();
  const [into, setInto] = useState('');
  const isNew = into === '';
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: { changeset: {}, ...noteRules(isRequired && isNew) },
    send: ({ changeset: _, ...values }) => collect(into, [operationOf(draft, params)], noteOf(values)),
    onDone: (changeset) => {
      discardSent(place, draft);
      onClose();
      setOpenRule(undefined);
      focusWhenLost();
      const to = { project: project.name, changeset: changeset.id };
      toast(isNew ? 'Put into a new changeset.' : `Added to ${titleOf(changeset)}.`, {
        label: 'Open it',
        run: () => void navigate({ to: '/p/$project/changesets/$changeset', params: to }),
      });
    },
    // Someone else saved first. The page loads their version, rebases the draft and says so.
    onProblem: ({ status }) => {
      if (status !== 412) return false;
      onClose();
      void readOthers(client, params);
      return true;
    },
  });
  return (
    <FormModal
      title="Add to a changeset"
      about={`Nothing changes in ${environment.name} until the changeset is applied, with all that it contains.`}
      submit={isNew ? 'Create changeset' : 'Add to changeset'}
      edge={environment.production ? 'production' : 'plain'}
      aside={
        <Button look="quiet" onClick={onBack}>
          Back to the review
        </Button>
      }
      {...{ form, problem, isSending, onClose }}
    >
      <IntoChangeset chosen={into} onChoose={setInto} place={{ flag: flag.id, environment: environment.id }} />
      {isNew && (
        <NoteFields isRequired={isRequired} title={draft.title ?? ''} comment={draft.comment} errors={errors} />
      )}
    </FormModal>
  );
}
