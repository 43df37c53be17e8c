import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { associateTags, createFlag, listFlags } from '#contract/flags.ts';
import { listTrafficTypes } from '#contract/traffic-types.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { flagNameRule, nameWeakness } from '../../kit/flag-names.ts';
import { useForm } from '../../kit/form.ts';
import { call, keyOf, reading } from '../../server/api.ts';
import { useEnvironments, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { ChipsField } from '../../ui/ChipsField.tsx';
import { Field } from '../../ui/Field.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import type { FlagsSearch } from './flags-search.ts';
import styles from './NewFlagDialog.module.css';

/** Only the name is required. */
export function NewFlagDialog() {
  const project = useProject();
  const environments = useEnvironments();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [taken, setTaken] = useState<string>();
  const [tags, setTags] = useState<readonly string[]>([]);
  const trafficTypes = useQuery(reading(listTrafficTypes, { params: { project: project.id } }));
  const { start }: FlagsSearch = useSearch({ from: '/shell/p/$project/flags' });
  const onClose = () =>
    void (start
      ? navigate({ to: '/welcome' })
      : navigate({ to: '/p/$project/flags', params: { project: project.name }, search: true }));

  const { form, errors, problem, isSending } = useForm({
    rules: { name: flagNameRule, description: {}, trafficType: {} },
    send: async (values) => {
      const params = { project: project.id, trafficType: values.trafficType || (trafficTypes.data?.[0]?.id ?? 'user') };
      const { name: flag, description } = values;
      const made = await call(createFlag, { params, body: { name: flag, description } });
      if (tags.length > 0) {
        await call(associateTags, { params: { project: project.id, flag, objectType: 'Split' }, body: [...tags] });
      }
      return made;
    },
    onDone: (flag) => {
      void client.invalidateQueries({ queryKey: keyOf(listFlags) });
      if (start) return navigate({ to: '/welcome' });
      const params = { project: project.name, flag: flag.name };
      const [first] = environments;
      return first
        ? navigate({ to: '/p/$project/flags/$flag/$environment', params: { ...params, environment: first.name } })
        : navigate({ to: '/p/$project/flags/$flag', params });
    },
    onProblem: ({ status }, values) => {
      if (status !== 409) return false;
      setTaken(values.name);
      return true;
    },
  });
  const refusal = useWhyNot()(createFlag);
  const nameError = taken !== undefined && taken === name ? <Taken project={project.name} flag={name} /> : errors.name;
  return (
    <FormModal
      title="New flag"
      about="It does nothing until you define it in an environment."
      form={form}
      problem={problem}
      isSending={isSending}
      refusal={refusal}
      submit="Create flag"
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        face="name"
        value={name}
        onChange={({ target }) => setName(target.value)}
        hint={
          name === '' ? 'The name your code uses. You cannot change it later.' : (nameWeakness(name) ?? 'Good name.')
        }
        error={nameError}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
      />
      <TextArea name="description" label="Description" aside={<small>optional</small>} rows={2} maxLength={2000} />
      {(trafficTypes.data?.length ?? 0) > 1 && (
        <Select
          name="trafficType"
          label="Traffic type"
          hint="What it targets, such as users. You cannot change it later."
        >
          {trafficTypes.data?.map((trafficType) => (
            <option key={trafficType.id} value={trafficType.id}>
              {trafficType.name}
            </option>
          ))}
        </Select>
      )}
      <details className={styles.more}>
        <summary>More</summary>
        <ChipsField
          label="Tags"
          options={tags.map((tag) => ({ id: tag, label: tag }))}
          selected={tags}
          onChange={setTags}
          add="Add tag"
          create={{ label: (text) => `Add ${text}`, make: (text) => setTags([...tags, text]) }}
        />
      </details>
    </FormModal>
  );
}

const Taken = ({ project, flag }: { readonly project: string; readonly flag: string }) => (
  <>
    {flag} exists.{' '}
    <TextLink to="/p/$project/flags/$flag" params={{ project, flag }}>
      Open it
    </TextLink>
  </>
);
