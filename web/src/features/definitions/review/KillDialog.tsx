import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { killDefinition } from '#contract/definitions.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { targetingOf } from '#domain/definitions/targeting-of.ts';
import { DependentsWarning } from '../../../kit/Dependents.tsx';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { call } from '../../../server/api.ts';
import { useProject } from '../../../server/project.ts';
import { toast } from '../../../state/toasts.ts';
import { EffectView } from '../../../targeting/EffectView.tsx';
import { keepDefinition } from '../editing/definitions.ts';
import { useDialogs } from '../editing/dialogs.ts';
import { useEditor } from '../editing/editor.ts';
import { afterChange, useWords } from './save.ts';
import { useEffectOf } from './use-effect-of.ts';

interface Props {
  readonly saved: ExpandedDefinition;
  readonly onClose: () => void;
}

/** Two clicks and no typing, unless the project asks why: speed matters here. It never carries the draft with it. */
export function KillDialog({ saved, onClose }: Props) {
  const { environment, order } = useEditor();
  const now = useMemo(() => targetingOf(saved), [saved]);
  const effect = useEffectOf(
    environment.id,
    now,
    useMemo(() => ({ ...now, killed: true }), [now]),
  );
  const project = useProject();
  const client = useQueryClient();
  const params = useWords();
  const dialogs = useDialogs();
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: (values) => call(killDefinition, { params, query: noteOf(values) }),
    onDone: async (killed) => {
      await keepDefinition(client, params, killed);
      afterChange(client);
      onClose();
      toast(`Killed in ${environment.name}. Everyone gets ${killed.defaultTreatment}.`, {
        label: 'Restore',
        run: () => dialogs.open('restore'),
      });
    },
  });
  return (
    <FormModal
      title={`Kill in ${environment.name}?`}
      about={
        <>
          Everyone gets <code>{saved.defaultTreatment}</code>, including individual targets. Rules are kept and come
          back when you restore the flag.
        </>
      }
      kind="alert"
      look="danger-fill"
      form={form}
      problem={problem}
      isSending={isSending}
      submit={`Kill in ${environment.name}`}
      onClose={onClose}
    >
      <EffectView effect={effect} defaultTreatment={saved.defaultTreatment} order={order} />
      <DependentsWarning flag={saved.name} environmentId={environment.id}>
        Their rules see <code>{saved.defaultTreatment}</code> for everyone while this flag is killed.
      </DependentsWarning>
      {isRequired && <NoteFields isRequired title={`Kill ${saved.name}`} errors={errors} />}
    </FormModal>
  );
}
