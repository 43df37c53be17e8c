import { useQueryClient } from '@tanstack/react-query';
import { listAttributes, patchAttribute, saveAttribute } from '#contract/attributes.ts';
import { type AttributeReply, dataTypes } from '#domain/attributes.ts';
import { patterns } from '#domain/schema.ts';
import type { TrafficTypeReply } from '#domain/traffic-types.ts';
import { sentence } from '../../../kit/explain.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../../kit/form.ts';
import { call, keyOf } from '../../../server/api.ts';
import { useProject } from '../../../server/project.ts';
import { toast } from '../../../state/toasts.ts';
import { dataTypeWords } from '../../../targeting/use-attributes.ts';
import { Field } from '../../../ui/Field.tsx';
import { Select } from '../../../ui/Select.tsx';
import { TextArea } from '../../../ui/TextArea.tsx';

const allowed = new RegExp(patterns.trafficTypeName);

interface Props {
  readonly trafficType: TrafficTypeReply;
  /** Undefined for a new one. */
  readonly attribute?: AttributeReply;
  readonly onClose: () => void;
}

/** Creates or edits an attribute. Its id stays. */
export function AttributeDialog({ trafficType, attribute, onClose }: Props) {
  const project = useProject();
  const client = useQueryClient();
  const known = client.getQueryData<AttributeReply[]>(
    keyOf(listAttributes, { params: { project: project.id, trafficType: trafficType.id } }),
  );
  // The endpoint overwrites.
  const idRule: FieldRule = {
    check: (value) => {
      if (attribute) return undefined;
      if (value === '') return 'Enter a name.';
      if (known?.some(({ id }) => id === value)) return 'This attribute already exists.';
      return allowed.test(value) ? undefined : 'A letter, then letters, digits, - or _.';
    },
    claim: (complaint) => (complaint.startsWith('id ') ? sentence(complaint) : undefined),
  };
  const valuesRule: FieldRule = {
    check: (value) => {
      const values = valuesIn(value);
      if (values.length > 50) return `At most 50 values; these are ${values.length}.`;
      return values.some((one) => one.length > 50) ? 'A value has at most 50 characters.' : undefined;
    },
    claim: (complaint) => (complaint.startsWith('suggestedValues') ? sentence(complaint) : undefined),
  };
  const { form, errors, problem, isSending } = useForm({
    rules: { id: idRule, displayName: {}, description: {}, dataType: {}, suggestedValues: valuesRule },
    send: ({ id, displayName, description, dataType, suggestedValues }) => {
      const params = { project: project.id, trafficType: trafficType.id };
      const details = {
        displayName: displayName.trim() || null,
        description: description.trim(),
        dataType: dataTypes.find((one) => one === dataType) ?? null,
        suggestedValues: valuesIn(suggestedValues),
      };
      return attribute
        ? call(patchAttribute, { params: { ...params, attribute: attribute.id }, body: details })
        : call(saveAttribute, { params, body: { id, ...details } });
    },
    onDone: async ({ id }) => {
      onClose();
      toast(attribute ? `Saved ${id}.` : `Created ${id}.`);
      await client.invalidateQueries({ queryKey: keyOf(listAttributes) });
    },
  });
  return (
    <FormModal
      title={attribute ? `Edit ${attribute.id}` : 'New attribute'}
      form={form}
      problem={problem}
      isSending={isSending}
      submit={attribute ? 'Save' : 'Create attribute'}
      onClose={onClose}
    >
      {!attribute && (
        <Field
          name="id"
          label="Name"
          face="name"
          hint="As programs send it. You cannot change it later."
          maxLength={200}
          error={errors.id}
          autoFocus
        />
      )}
      <Field
        name="displayName"
        label="Display name"
        aside={<small>optional</small>}
        maxLength={200}
        defaultValue={attribute && attribute.displayName !== attribute.id ? attribute.displayName : ''}
        autoComplete="off"
      />
      <Select name="dataType" label="Type" defaultValue={attribute?.dataType ?? ''}>
        <option value="">Any</option>
        {dataTypes.map((one) => (
          <option key={one} value={one}>
            {dataTypeWords[one]}
          </option>
        ))}
      </Select>
      <TextArea
        name="suggestedValues"
        label="Suggested values"
        aside={<small>optional</small>}
        hint="One per line, or separated by commas. Up to 50."
        rows={4}
        error={errors.suggestedValues}
        defaultValue={attribute?.suggestedValues.join('\n')}
      />
      <TextArea
        name="description"
        label="Description"
        aside={<small>optional</small>}
        rows={2}
        maxLength={500}
        defaultValue={attribute?.description}
      />
    </FormModal>
  );
}

const valuesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  ),
];
