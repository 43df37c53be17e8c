import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createSegment } from '#contract/segments.ts';
import { listTrafficTypes } from '#contract/traffic-types.ts';
import { type SegmentKind, SegmentName } from '#domain/segments.ts';
import { sentence } from '../../kit/explain.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { type FieldRule, useForm } from '../../kit/form.ts';
import { call, reading } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { toast } from '../../state/toasts.ts';
import { creating, kinds, kindWords } from '../../targeting/segment-kinds.ts';
import { Choices, Radio } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { useRefreshSegments } from './segments-query.ts';

const { pattern = '', maxLength = 100 } = SegmentName as { readonly pattern?: string; readonly maxLength?: number };
const allowed = new RegExp(pattern);

const nameRule: FieldRule = {
  check: (value) => {
    if (value === '') return 'Enter a name.';
    if (!/^[A-Za-z]/.test(value)) return 'Start with a letter.';
    return allowed.test(value) ? undefined : 'Only letters, digits, - and _ after the first letter.';
  },
  claim: (complaint, { status }) => {
    if (status === 409) return 'A segment with this name already exists.';
    return complaint.startsWith('name ') ? sentence(complaint) : undefined;
  },
};

export function NewSegmentDialog({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const navigate = useNavigate();
  const refresh = useRefreshSegments();
  const refusal = useWhyNot()(createSegment);
  const [kind, setKind] = useState<SegmentKind>('standard');
  const trafficTypes = useQuery(reading(listTrafficTypes, { params: { project: project.id } }));
  const { form, errors, problem, isSending } = useForm({
    rules: { name: nameRule, description: {}, trafficType: {} },
    send: ({ name, description, trafficType }) =>
      call(creating[kind], {
        params: { project: project.id, trafficType: trafficType || (trafficTypes.data?.[0]?.id ?? 'user') },
        body: { name, description },
      }),
    onDone: async (_, { name }) => {
      toast(`Created ${name}. It is not active in any environment yet.`);
      await navigate({ to: '/p/$project/segments/$segment', params: { project: project.name, segment: name } });
      await refresh();
    },
  });
  return (
    <FormModal
      title="New segment"
      about="It is not active in any environment until you activate it there."
      form={form}
      problem={problem}
      isSending={isSending}
      refusal={refusal}
      submit="Create segment"
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        face="name"
        maxLength={maxLength}
        hint="The name that rules use. You cannot change it later."
        error={errors.name}
        autoFocus
      />
      <Choices label="Kind">
        {kinds.map((one) => (
          <Radio
            key={one}
            name="kind"
            value={one}
            checked={one === kind}
            onChange={() => setKind(one)}
            label={kindWords[one].name}
            hint={`${kindWords[one].about} ${kindWords[one].limit}.`}
          />
        ))}
      </Choices>
      <TextArea name="description" label="Description" aside={<small>optional</small>} rows={2} maxLength={2000} />
      {(trafficTypes.data?.length ?? 0) > 1 && (
        <Select
          name="trafficType"
          label="Traffic type"
          hint="What its keys stand for, such as users. You cannot change it later."
        >
          {trafficTypes.data?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </FormModal>
  );
}
