import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { restoreDefinition } from '#contract/definitions.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { targetingOf } from '#domain/definitions/targeting-of.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { call } from '../../../server/api.ts';
import { useProject } from '../../../server/project.ts';
import { toast } from '../../../state/toasts.ts';
import { EffectView } from '../../../targeting/EffectView.tsx';
import { keepDefinition } from '../editing/definitions.ts';
import { useEditor } from '../editing/editor.ts';
import { afterChange, useWords } from './save.ts';
import { useEffectOf } from './use-effect-of.ts';

interface Props {
  readonly saved: ExpandedDefinition;
  readonly onClose: () => void;
}

/** Shows what comes back. */
export function RestoreDialog({ saved, onClose }: Props) {
  const { environment, order } = useEditor();
  const now = useMemo(() => targetingOf(saved), [saved]);
  const effect = useEffectOf(
    environment.id,
    now,
    useMemo(() => ({ ...now, killed: false }), [now]),
  );
  const project = useProject();
  const client = useQueryClient();
  const params = useWords();
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: (values) => call(restoreDefinition, { params, query: noteOf(values) }),
    onDone: async (restored) => {
      await keepDefinition(client, params, restored);
      afterChange(client);
      onClose();
      toast(`Restored in ${environment.name}. The rules apply again.`);
    },
  });
  return (
    <FormModal
      title={`Restore in ${environment.name}?`}
      about="The saved rules apply again."
      form={form}
      problem={problem}
      isSending={isSending}
      submit={`Restore in ${environment.name}`}
      onClose={onClose}
    >
      <EffectView effect={effect} defaultTreatment={saved.defaultTreatment} order={order} />
      {isRequired && <NoteFields isRequired title={`Restore ${saved.name}`} errors={errors} />}
    </FormModal>
  );
}
