import { useQueryClient } from '@tanstack/react-query';
import { ArchiveRestore } from 'lucide-react';
import { useState } from 'react';
import { listChanges } from '#contract/changes.ts';
import { undeleteDefinition } from '#contract/definitions.ts';
import { getFlag, listFlags } from '#contract/flags.ts';
import { call, keyOf } from '../server/api.ts';
import { type Environment, useProject } from '../server/project.ts';
import { useWhyNot } from '../server/rights.ts';
import { toast } from '../state/toasts.ts';
import { Button } from '../ui/Button.tsx';
import { FormModal } from './FormModal.tsx';
import { useForm } from './form.ts';
import { NoteFields, noteOf, noteRules } from './NoteFields.tsx';

interface Props {
  readonly flag: { readonly name: string; readonly owners: readonly { readonly id: string }[] };
  readonly environment: Environment;
}

/** Brings a removed definition back from the audit log, with its seeds. */
export function RestoreDefinition({ flag, environment }: Props) {
  const [isOpen, setOpen] = useState(false);
  const refusal = useWhyNot()(undeleteDefinition, { owners: flag.owners, environment: environment.id });
  return (
    <>
      <Button size="small" refusal={refusal} onClick={() => setOpen(true)}>
        <ArchiveRestore size={14} aria-hidden /> Restore in {environment.name}
      </Button>
      {isOpen && <RestoreDialog flag={flag.name} environment={environment} onClose={() => setOpen(false)} />}
    </>
  );
}

interface DialogProps {
  readonly flag: string;
  readonly environment: Environment;
  readonly onClose: () => void;
}

function RestoreDialog({ flag, environment, onClose }: DialogProps) {
  const client = useQueryClient();
  const project = useProject();
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: (note) =>
      call(undeleteDefinition, {
        params: { project: project.id, flag, environment: environment.id },
        query: noteOf(note),
      }),
    onDone: async () => {
      await client.invalidateQueries({ queryKey: keyOf(getFlag) });
      onClose();
      toast(`Restored in ${environment.name}.`);
      for (const endpoint of [listFlags, listChanges]) void client.invalidateQueries({ queryKey: keyOf(endpoint) });
    },
  });
  return (
    <FormModal
      title={`Restore ${flag} in ${environment.name}?`}
      about="The definition comes back as it was when it was removed, with its buckets: every key gets what it got before."
      form={form}
      problem={problem}
      isSending={isSending}
      submit={`Restore in ${environment.name}`}
      edge={environment.production ? 'production' : 'plain'}
      onClose={onClose}
    >
      <NoteFields isRequired={isRequired} title={`Restore ${flag} in ${environment.name}`} errors={errors} />
    </FormModal>
  );
}
