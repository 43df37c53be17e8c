import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listAttributes, saveAttributes } from '#contract/attributes.ts';
import type { TrafficTypeReply } from '#domain/traffic-types.ts';
import { countOf } from '../../../administration/count.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { call, keyOf } from '../../../server/api.ts';
import { useProject } from '../../../server/project.ts';
import { toast } from '../../../state/toasts.ts';
import { Command } from '../../../ui/Command.tsx';
import { Field } from '../../../ui/Field.tsx';

interface Props {
  readonly trafficType: TrafficTypeReply;
  readonly onClose: () => void;
}

/** Creates and overwrites attributes from a file. All or none: complaints name the row. */
export function ImportDialog({ trafficType, onClose }: Props) {
  const project = useProject();
  const client = useQueryClient();
  const [file, setFile] = useState<File>();
  const { form, errors, problem, isSending } = useForm({
    rules: { file: { check: () => (file ? undefined : 'Choose a file.') } },
    send: () => {
      const body = new FormData();
      if (file) body.append('file', file);
      return call(saveAttributes, { params: { project: project.id, trafficType: trafficType.id }, body });
    },
    onDone: async (saved) => {
      onClose();
      toast(`Imported ${countOf(saved.length, 'attribute')}.`);
      await client.invalidateQueries({ queryKey: keyOf(listAttributes) });
    },
  });
  return (
    <FormModal
      title="Import attributes"
      about={`A CSV file for ${trafficType.name}. Attributes that exist are overwritten; if a row is invalid, nothing is saved.`}
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Import"
      onClose={onClose}
    >
      <Field
        name="file"
        label="File"
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        hint="Columns: name, display name, description, type (string, number, datetime or set), suggested values."
        error={errors.file}
        onChange={({ target }) => setFile(target.files?.[0])}
      />
      <Command text={'id,display name,description,data type,suggested values\ncountry,Country,,string,"DE,FR,US"'} />
    </FormModal>
  );
}
