import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createDefinition } from '#contract/definitions.ts';
import { countFlags, createFlag, duplicateFlag, listFlags } from '#contract/flags.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { flagNameRule } from '../../../kit/flag-names.ts';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { ProdChip } from '../../../kit/StatusChip.tsx';
import { call, keyOf } from '../../../server/api.ts';
import { useFlag } from '../../../server/flag.ts';
import { useEnvironments, useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { useMe } from '../../../server/session.ts';
import { toast } from '../../../state/toasts.ts';
import { Checkbox, Choices } from '../../../ui/Checkbox.tsx';
import { Field } from '../../../ui/Field.tsx';
import { withOrWithout } from '../compare/PartChoices.tsx';
import { useDialogs } from '../editing/dialogs.ts';

const isTicked = (value: string): boolean => value === 'on';

/** Creates a copy of the flag, with its definitions in the environments that are ticked: one request, all or nothing. */
export function DuplicateDialog() {
  const flag = useFlag();
  const project = useProject();
  const { user } = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { close } = useDialogs();
  const whyNot = useWhyNot();
  const [keepsOwners, setKeepsOwners] = useState(false);
  const owners = keepsOwners ? flag.owners : [{ id: user.id }];
  const defined = useEnvironments()
    .filter(({ id }) => flag.definitions.some(({ environment }) => environment.id === id))
    .map((one) => ({ ...one, refusal: whyNot(createDefinition, { owners, environment: one.id }) }));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = defined.filter(({ id, refusal }) => refusal === undefined && !left.has(id));
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: { name: flagNameRule, tags: {}, sameSeeds: {}, ...noteRules(isRequired) },
    send: ({ name, tags, sameSeeds, ...note }) =>
      call(duplicateFlag, {
        params: { project: project.id, flag: flag.name },
        query: noteOf(note),
        body: {
          name,
          environments: chosen.map(({ id }) => id),
          tags: isTicked(tags),
          owners: keepsOwners,
          sameSeeds: isTicked(sameSeeds),
        },
      }),
    onDone: ({ name }) => {
      for (const endpoint of [listFlags, countFlags]) void client.invalidateQueries({ queryKey: keyOf(endpoint) });
      toast(`Created ${name} as a copy of ${flag.name}.`);
      const params = { project: project.name, flag: name };
      const [first] = chosen;
      return first
        ? navigate({ to: '/p/$project/flags/$flag/$environment', params: { ...params, environment: first.name } })
        : navigate({ to: '/p/$project/flags/$flag', params });
    },
  });
  const taken = problem?.status === 409 ? `A flag with this name exists.` : undefined;
  return (
    <FormModal
      title={`Duplicate ${flag.name}`}
      about="The copy has the same description, traffic type and status."
      form={form}
      problem={taken === undefined ? problem : undefined}
      isSending={isSending}
      refusal={whyNot(createFlag)}
      submit="Duplicate flag"
      edge={chosen.some(({ production }) => production) ? 'production' : 'plain'}
      onClose={close}
    >
      <Field
        name="name"
        label="Name of the copy"
        face="name"
        defaultValue={`${flag.name}_copy`}
        hint="The name your code uses. You cannot change it later."
        error={errors.name ?? taken}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        onFocus={({ target }) => target.select()}
      />
      {defined.length > 0 && (
        <Choices label="Copy the definitions in">
          {defined.map(({ id, name, production, refusal }) => (
            <Checkbox
              key={id}
              label={
                <>
                  {name} {production && <ProdChip />}
                </>
              }
              hint={refusal}
              disabled={refusal !== undefined}
              checked={refusal === undefined && !left.has(id)}
              onChange={({ target }) => setLeft(withOrWithout(left, id, !target.checked))}
            />
          ))}
        </Choices>
      )}
      <Choices label="Also copy">
        {flag.tags && <Checkbox name="tags" label="Tags" defaultChecked />}
        {flag.owners.length > 0 && (
          <Checkbox
            label="Owners"
            hint={keepsOwners ? undefined : 'Otherwise you own the copy.'}
            checked={keepsOwners}
            onChange={({ target }) => setKeepsOwners(target.checked)}
          />
        )}
        {chosen.length > 0 && (
          <Checkbox
            name="sameSeeds"
            label="Buckets"
            hint={`Every key gets the same treatment as with ${flag.name}, for example if you rename it. Otherwise percentages select other keys.`}
          />
        )}
      </Choices>
      <NoteFields isRequired={isRequired} title={`Duplicate ${flag.name}`} errors={errors} />
    </FormModal>
  );
}
