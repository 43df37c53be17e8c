/** Kills flags in an environment, or copies their definitions from one environment to another. */
import { useState } from 'react';
import { createDefinition, getDefinition, killDefinition, replaceDefinition } from '#contract/definitions.ts';
import { archiveFlag, unarchiveFlag } from '#contract/flags.ts';
import { toTargeting } from '#domain/definitions/definition.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { countOf } from '../../administration/count.ts';
import { proposedWords, usePropose } from '../../changesets/propose.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import { type Environment, needsApproval, useEnvironments, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Select } from '../../ui/Select.tsx';
import { BulkProgress } from './BulkReport.tsx';
import { useEachFlag } from './each-flag.ts';

interface Props {
  readonly flags: readonly ListedFlag[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const definitionIn = (flag: ListedFlag, environment: Environment | undefined) =>
  flag.definitions?.find((definition) => definition.environment.id === environment?.id);

const inWords = (flags: readonly ListedFlag[]) => (flags.length === 1 ? flags[0]?.name : `${flags.length} flags`);

/** Only flags that are defined there and not killed yet. */
export function KillFlagsDialog({ flags, onClose, onDone }: Props) {
  const project = useProject();
  const environments = useEnvironments();
  const [environment, setEnvironment] = useState(environments.at(-1));
  const whyNot = useWhyNot();
  const affected = flags.filter((flag) => definitionIn(flag, environment)?.killed === false);
  const refusal = affected
    .map(({ owners }) => whyNot(killDefinition, { owners, ...(environment && { environment: environment.id }) }))
    .find(Boolean);
  const eachFlag = useEachFlag();
  const isProposed = environment !== undefined && needsApproval(environment, true);
  const { propose, open } = usePropose();
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: {
      environment: { check: () => refusal ?? (affected.length > 0 ? undefined : nothingToKill) },
      ...noteRules(isRequired),
    },
    send: async ({ environment: _, ...note }) => {
      if (isProposed && environment) {
        const operations = affected.map(({ name: flag }) => ({
          flag,
          environment: environment.id,
          edit: { kind: 'kill' as const },
        }));
        return propose(operations, noteOf({ ...note, title: note.title || `Kill ${inWords(affected)}` }));
      }
      return eachFlag(
        affected,
        ({ name: flag }) =>
          call(killDefinition, {
            params: { project: project.id, flag, environment: environment?.id ?? '' },
            query: noteOf(note),
          }),
        (what) => `Killed ${what} in ${environment?.name}.`,
      );
    },
    onDone: (proposed) => {
      onClose();
      onDone();
      if (proposed) return open(proposed, proposedWords(proposed));
    },
  });
  return (
    <FormModal
      title={flags.length === 1 ? `Kill ${inWords(flags)}` : 'Kill flags'}
      about="Everyone gets the default treatment at once. You can restore each flag later."
      kind="alert"
      {...{ form, problem, isSending, onClose }}
      submit={`${isProposed ? 'Propose to kill' : 'Kill'} ${affected.length === 1 ? affected[0]?.name : `${affected.length} flags`}`}
      look="danger-fill"
      edge={environment?.production ? 'production' : 'plain'}
    >
      <EnvironmentSelect
        name="environment"
        label="Environment"
        value={environment}
        onChange={setEnvironment}
        error={errors.environment}
      />
      <p>
        {affected.length} of {countOf(flags.length, 'flag')} can be killed in {environment?.name}.
        {affected.length < flags.length && ' The others are not defined there, or killed already.'}
      </p>
      {isProposed && <ProposedNotice environment={environment} />}
      <NoteFields isRequired={isRequired} isReason title={`Kill ${inWords(affected)}`} errors={errors} />
      <BulkProgress />
    </FormModal>
  );
}

const ProposedNotice = ({ environment: { name } }: { readonly environment: Environment }) => (
  <Notice kind="plain">
    Changes in {name} need the approval of someone else. All of them become one changeset, up to {maxAtOnce}. Nothing
    changes until it is approved and applied.
  </Notice>
);

/** The operations of a changeset. */
const maxAtOnce = 100;

const nothingToKill = 'None of these flags can be killed in this environment.';

/** Replaces the definitions, but keeps whether they are killed. */
export function CopyFlagsDialog({ flags, onClose, onDone }: Props) {
  const project = useProject();
  const environments = useEnvironments();
  const [from, setFrom] = useState(environments.at(-2));
  const [to, setTo] = useState(environments.at(-1));
  const whyNot = useWhyNot();
  const affected = flags.filter((flag) => definitionIn(flag, from));
  const replaced = affected.filter((flag) => definitionIn(flag, to)).length;
  const refusal =
    from?.id === to?.id
      ? 'Choose two different environments.'
      : affected
          .map(({ owners }) => whyNot(replaceDefinition, { owners, ...(to && { environment: to.id }) }))
          .find(Boolean);
  const eachFlag = useEachFlag();
  const isProposed = to !== undefined && needsApproval(to);
  const { propose, open } = usePropose();
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: { from: {}, to: { check: () => refusal }, ...noteRules(isRequired) },
    send: async ({ from: _from, to: _to, ...note }) => {
      const bodyOf = async ({ name: flag }: ListedFlag) => {
        const params = { project: project.id, flag, environment: from?.id ?? '' };
        const { killed: _, ...body } = toTargeting(await call(getDefinition, { params }));
        return body;
      };
      if (isProposed && to) {
        const operations = [];
        for (const flag of affected) {
          // A replaced definition stays killed, or not.
          const killed = definitionIn(flag, to)?.killed;
          const body = { ...(await bodyOf(flag)), ...(killed === undefined ? {} : { killed }) };
          const kind = killed === undefined ? ('create' as const) : ('replace' as const);
          operations.push({ flag: flag.name, environment: to.id, edit: { kind, body } });
        }
        return propose(operations, noteOf(note));
      }
      return eachFlag(
        affected,
        async (flag) => {
          const params = { project: project.id, flag: flag.name };
          const body = await bodyOf(flag);
          const copy = { params: { ...params, environment: to?.id ?? '' }, query: noteOf(note), body };
          return definitionIn(flag, to) ? call(replaceDefinition, copy) : call(createDefinition, copy);
        },
        (what) => `Copied ${what} to ${to?.name}.`,
      );
    },
    onDone: (proposed) => {
      onClose();
      onDone();
      if (proposed) return open(proposed, proposedWords(proposed));
    },
  });
  return (
    <FormModal
      title={`Copy ${inWords(flags)} to an environment`}
      about="Copies rules, targets, treatments, shares and traffic allocation."
      {...{ form, problem, isSending, onClose }}
      submit={`${isProposed ? 'Propose to copy' : 'Copy'} ${affected.length === 1 ? '1 definition' : `${affected.length} definitions`}`}
      edge={to?.production ? 'production' : 'plain'}
    >
      <EnvironmentSelect name="from" label="From" value={from} onChange={setFrom} />
      <EnvironmentSelect name="to" label="To" value={to} onChange={setTo} error={errors.to} />
      <p>
        {affected.length} of {flags.length} {flags.length === 1 ? 'flag is' : 'flags are'} defined in {from?.name}.
      </p>
      {replaced > 0 && (
        <Notice kind="plain">
          Replaces {replaced === 1 ? '1 definition' : `${replaced} definitions`} in {to?.name}.
        </Notice>
      )}
      {isProposed && <ProposedNotice environment={to} />}
      <NoteFields isRequired={isRequired} title={`Copy from ${from?.name}`} errors={errors} />
      <BulkProgress />
    </FormModal>
  );
}

/** Only flags that are not yet as wanted. */
export function ArchiveFlagsDialog({ flags, isArchived, onClose, onDone }: Props & { readonly isArchived: boolean }) {
  const project = useProject();
  const affected = flags.filter(({ archivedAt }) => (archivedAt !== undefined) === isArchived);
  const eachFlag = useEachFlag();
  const guarded = useEnvironments().find(
    (environment) => needsApproval(environment) && affected.some((flag) => definitionIn(flag, environment)),
  );
  const isRequired = project.requiresTitleAndComments;
  const [verb, done] = isArchived ? ['Unarchive', 'Unarchived'] : ['Archive', 'Archived'];
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: (note) =>
      eachFlag(
        affected,
        ({ name: flag }) =>
          call(isArchived ? unarchiveFlag : archiveFlag, {
            params: { project: project.id, flag },
            query: noteOf(note),
          }),
        (what) => `${done} ${what}.`,
      ),
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <FormModal
      title={`${verb} ${inWords(affected)}?`}
      about={
        isArchived
          ? 'Their definitions apply again in every environment. Every key gets what it got before.'
          : 'Everyone gets control in every environment. Names, definitions and buckets are kept until you unarchive them.'
      }
      kind="alert"
      {...{ form, problem, isSending, onClose }}
      submit={`${verb} ${affected.length === 1 ? affected[0]?.name : `${affected.length} flags`}`}
      look={isArchived ? 'primary' : 'danger-fill'}
      refusal={
        guarded &&
        `Changes in ${guarded.name} need an approval, and this cannot be proposed. Leave out the flags that are defined there, or ask someone who skips approvals.`
      }
    >
      <NoteFields isRequired={isRequired} title={`${verb} ${inWords(affected)}`} errors={errors} />
      <BulkProgress />
    </FormModal>
  );
}

interface SelectProps {
  readonly name: string;
  readonly error?: string | undefined;
  readonly label: string;
  readonly value: Environment | undefined;
  readonly onChange: (environment: Environment | undefined) => void;
}

function EnvironmentSelect({ value, onChange, ...field }: SelectProps) {
  const environments = useEnvironments();
  return (
    <Select
      {...field}
      value={value?.id ?? ''}
      onChange={({ target }) => onChange(environments.find(({ id }) => id === target.value))}
    >
      {environments.map(({ id, name, production }) => (
        <option key={id} value={id}>
          {name}
          {production && ' (production)'}
        </option>
      ))}
    </Select>
  );
}
