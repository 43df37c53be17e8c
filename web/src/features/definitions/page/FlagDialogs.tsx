/** The dialogs about the whole flag, on every view. */
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { killDefinition } from '#contract/definitions.ts';
import { archiveFlag, unarchiveFlag } from '#contract/flags.ts';
import { CodeWarning } from '../../../kit/CodeReferences.tsx';
import { DependentsWarning } from '../../../kit/Dependents.tsx';
import { explain } from '../../../kit/explain.ts';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { ProdChip } from '../../../kit/StatusChip.tsx';
import { call } from '../../../server/api.ts';
import type { ApiProblem } from '../../../server/api-problem.ts';
import { useFlag } from '../../../server/flag.ts';
import { needsApproval, useEnvironments, useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { lazyPart } from '../../../state/lazy.ts';
import { toast, toastFailure } from '../../../state/toasts.ts';
import type { Look } from '../../../ui/Button.tsx';
import { useDialogs } from '../editing/dialogs.ts';
import { afterChange, type Note, refresh } from '../review/save.ts';

const DuplicateDialog = lazyPart('DuplicateDialog', () => import('./DuplicateDialog.tsx'));

/** Opens the dialog named in the address, if it applies. */
export function FlagDialogs() {
  const { archivedAt } = useFlag();
  const { askedFor } = useDialogs();
  if (askedFor('archive') !== undefined && archivedAt === undefined) return <ArchiveDialog />;
  if (askedFor('unarchive') !== undefined && archivedAt !== undefined) return <UnarchiveDialog />;
  if (askedFor('kill-all') !== undefined && archivedAt === undefined) return <KillAllDialog />;
  if (askedFor('duplicate') !== undefined) return <DuplicateDialog />;
  return null;
}

function ArchiveDialog() {
  const flag = useFlag();
  const params = { project: useProject().id, flag: flag.name };
  return (
    <Frame
      title={`Archive ${flag.name}?`}
      submit="Archive flag"
      refusal={useWhyNotWhole()}
      look="danger-fill"
      about={
        <>
          Everyone gets <code>control</code> in every environment, and lists leave the flag out. Its name, definitions
          and buckets are kept until you unarchive it.
        </>
      }
      send={(query) => call(archiveFlag, { params, query })}
      done={`Archived ${flag.name}.`}
    >
      <CodeWarning flags={[flag.name]} />
      <DependentsWarning flag={flag.name}>
        Their rules see <code>control</code> for everyone while this flag is archived.
      </DependentsWarning>
    </Frame>
  );
}

function UnarchiveDialog() {
  const flag = useFlag();
  const params = { project: useProject().id, flag: flag.name };
  return (
    <Frame
      title={`Unarchive ${flag.name}?`}
      submit="Unarchive flag"
      refusal={useWhyNotWhole()}
      about="Its definitions apply again in every environment. Every key gets what it got before."
      send={(query) => call(unarchiveFlag, { params, query })}
      done={`Unarchived ${flag.name}.`}
    />
  );
}

/** One request for each environment: a kill must not wait for, or fail with, another. */
function KillAllDialog() {
  const flag = useFlag();
  const project = useProject();
  const whyNot = useWhyNot();
  const environments = useEnvironments().flatMap((environment) => {
    const saved = flag.definitions.find((one) => one.environment.id === environment.id);
    const refusal =
      whyNot(killDefinition, { owners: flag.owners, environment: environment.id }) ??
      (needsApproval(environment, true)
        ? 'stays: a kill there needs an approval. Propose it on the page of the flag there.'
        : undefined);
    return saved && !saved.killed ? [{ ...environment, saved, refusal }] : [];
  });
  const killable = environments.filter(({ refusal }) => refusal === undefined);
  const send = async (query: Note) => {
    const answers = await Promise.allSettled(
      killable.map(({ id }) =>
        call(killDefinition, { params: { project: project.id, flag: flag.name, environment: id }, query }),
      ),
    );
    const failed = answers.flatMap((answer, index) =>
      answer.status === 'rejected' ? [`${killable[index]?.name}: ${explain(answer.reason as ApiProblem)}`] : [],
    );
    if (failed.length > 0) toastFailure(`Not killed in ${failed.join(' ')}`);
    if (failed.length === killable.length) throw (answers[0] as PromiseRejectedResult).reason;
  };
  return (
    <Frame
      title={`Kill ${flag.name} everywhere?`}
      submit={`Kill in ${killable.length} environments`}
      look="danger-fill"
      about="Everyone gets the default treatment, including individual targets. Rules are kept and come back when you restore the flag in an environment."
      send={send}
      done={`Killed ${flag.name}.`}
    >
      <ul>
        {environments.map(({ id, name, production, saved, refusal }) => (
          <li key={id}>
            {name} {production && <ProdChip />}{' '}
            {refusal ?? (
              <>
                gets <code>{saved.defaultTreatment}</code>
              </>
            )}
          </li>
        ))}
      </ul>
      <DependentsWarning flag={flag.name}>Their rules see the default treatment for everyone.</DependentsWarning>
    </Frame>
  );
}

/** Changesets do not archive flags, so those that approvals protect stay as they are. */
function useWhyNotWhole(): string | undefined {
  const { definitions } = useFlag();
  const guarded = useEnvironments().find(
    (environment) =>
      needsApproval(environment) && definitions.some((definition) => definition.environment.id === environment.id),
  );
  return (
    guarded &&
    `Changes in ${guarded.name} need an approval, and this cannot be proposed. Remove the definition there first, or ask someone who skips approvals.`
  );
}

interface FrameProps {
  readonly refusal?: string | undefined;
  readonly title: string;
  readonly submit: string;
  readonly about: ReactNode;
  readonly look?: Look;
  readonly send: (note: Note) => Promise<unknown>;
  readonly done: string;
  readonly children?: ReactNode;
}

function Frame({ title, submit, about, look, refusal, send, done, children }: FrameProps) {
  const client = useQueryClient();
  const project = useProject();
  const flag = useFlag();
  const { close } = useDialogs();
  const isRequired = project.requiresTitleAndComments;
  const { form, errors, problem, isSending } = useForm({
    rules: noteRules(isRequired),
    send: (values) => send(noteOf(values)),
    onDone: async () => {
      await refresh(client, { project: project.id, flag: flag.name });
      close();
      toast(done);
      afterChange(client);
    },
  });
  return (
    <FormModal
      title={title}
      about={about}
      {...(look && { kind: 'alert', look })}
      form={form}
      problem={problem}
      isSending={isSending}
      submit={submit}
      refusal={refusal}
      onClose={close}
    >
      {children}
      <NoteFields isRequired={isRequired} isReason title={submit} errors={errors} />
    </FormModal>
  );
}
