/** Kill, restore and remove: changes to a saved definition that take effect at once, without a draft. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { deleteDefinition, killDefinition, restoreDefinition } from '#contract/definitions.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { toTargeting } from '#domain/definitions/definition.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { proposedWords, usePropose } from '../../../changesets/propose.ts';
import { DependentsWarning } from '../../../kit/Dependents.tsx';
import { FormModal } from '../../../kit/FormModal.tsx';
import { useForm } from '../../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../../kit/NoteFields.tsx';
import { call } from '../../../server/api.ts';
import { needsApproval, useProject } from '../../../server/project.ts';
import { definitionAt, writeDraft } from '../../../state/drafts.ts';
import { toast } from '../../../state/toasts.ts';
import type { Look } from '../../../ui/Button.tsx';
import { Field } from '../../../ui/Field.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { keepDefinition } from '../editing/definitions.ts';
import { useDialogs } from '../editing/dialogs.ts';
import { useEditor } from '../editing/editor.ts';
import { EffectView } from './EffectView.tsx';
import { afterChange, type Note, refresh, useDefinitionParams } from './save.ts';
import { useEffectOf } from './use-effect-of.ts';

interface Props {
  readonly saved: ExpandedDefinition;
  readonly onClose: () => void;
}

/** Two clicks: a reason can be given, and must be only if the project requires it. Leaves the draft alone. */
export function KillDialog({ saved, onClose }: Props) {
  const { environment, place } = useEditor();
  const client = useQueryClient();
  const params = useDefinitionParams();
  const dialogs = useDialogs();
  return (
    <Frame
      action={`Kill in ${environment.name}`}
      about={
        <>
          Everyone gets <code>{saved.defaultTreatment}</code>, including individual targets. Rules are kept and come
          back when you restore the flag.
        </>
      }
      look="danger-fill"
      size="wide"
      noteTitle={`Kill ${saved.name}`}
      endpoint={killDefinition}
      edit="kill"
      send={(query) => call(killDefinition, { params, query })}
      onDone={async (killed) => {
        await keepDefinition(client, params, killed);
        onClose();
        toast(
          `Killed in ${environment.name}. Everyone gets ${killed.defaultTreatment}.`,
          { label: 'Restore', run: () => dialogs.open('restore') },
          definitionAt(place),
        );
      }}
      onClose={onClose}
    >
      <KilledEffect saved={saved} killed />
      <DependentsWarning flag={saved.name} environmentId={environment.id}>
        Their rules see <code>{saved.defaultTreatment}</code> for everyone while this flag is killed.
      </DependentsWarning>
    </Frame>
  );
}

export function RestoreDialog({ saved, onClose }: Props) {
  const { environment, place } = useEditor();
  const client = useQueryClient();
  const params = useDefinitionParams();
  return (
    <Frame
      action={`Restore in ${environment.name}`}
      about="The saved rules apply again."
      size="wide"
      noteTitle={`Restore ${saved.name}`}
      endpoint={restoreDefinition}
      edit="restore"
      send={(query) => call(restoreDefinition, { params, query })}
      onDone={async (restored) => {
        await keepDefinition(client, params, restored);
        onClose();
        toast(`Restored in ${environment.name}. The rules apply again.`, undefined, definitionAt(place));
      }}
      onClose={onClose}
    >
      <KilledEffect saved={saved} killed={false} />
      <DependentsWarning flag={saved.name} environmentId={environment.id}>
        Their rules see its treatments again.
      </DependentsWarning>
    </Frame>
  );
}

/** In production you type the flag name, as when you delete a flag. */
export function RemoveDefinitionDialog({ saved, onClose }: Props) {
  const { environment, place } = useEditor();
  const client = useQueryClient();
  const params = useDefinitionParams();
  return (
    <Frame
      title={`Remove ${saved.name} from ${environment.name}?`}
      action={`Remove from ${environment.name}`}
      about={
        <>
          This deletes the treatments, targets and rules in {environment.name}. Everyone there gets <code>control</code>
          . The flag and its other environments are not affected. If you define it here again, percentages select
          different keys.
        </>
      }
      look="danger-fill"
      mustType={environment.production ? saved.name : undefined}
      noteTitle={`Remove ${saved.name} from ${environment.name}`}
      endpoint={deleteDefinition}
      edit="delete"
      send={(query) => call(deleteDefinition, { params, query, ifMatch: saved.etag })}
      onDone={async () => {
        onClose();
        writeDraft(place, undefined);
        await refresh(client, params);
        toast(`Removed from ${environment.name}.`, undefined, definitionAt(place));
      }}
      onClose={onClose}
    >
      <DependentsWarning flag={saved.name} environmentId={environment.id}>
        Their rules see <code>control</code> for everyone.
      </DependentsWarning>
    </Frame>
  );
}

interface FrameProps<Answer> {
  /** The button: "Kill in Production". With a question mark it is the title, unless there is another. */
  readonly action: string;
  readonly title?: string;
  readonly about: ReactNode;
  readonly look?: Look;
  readonly size?: 'narrow' | 'wide';
  /** A word to type as confirmation. */
  readonly mustType?: string | undefined;
  /** The suggested title of the note. */
  readonly noteTitle: string;
  readonly endpoint: Endpoint;
  /** The same as an operation of a changeset: proposed where it needs an approval. */
  readonly edit: 'kill' | 'restore' | 'delete';
  readonly send: (note: Note) => Promise<Answer>;
  readonly onDone: (answer: Answer) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function Frame<Answer>(props: FrameProps<Answer>) {
  const {
    action,
    title = `${action}?`,
    about,
    look,
    size = 'narrow',
    mustType,
    noteTitle,
    endpoint,
    edit,
    send,
    onDone,
    onClose,
    children,
  } = props;
  const { whyNot, environment } = useEditor();
  const client = useQueryClient();
  const isRequired = useProject().requiresTitleAndComments;
  const checkWord = (value: string) =>
    mustType === undefined || value.trim() === mustType ? undefined : `Type ${mustType}`;
  const isProposed = needsApproval(environment, edit === 'kill');
  const words = useDefinitionParams();
  const { propose, open } = usePropose();
  const { form, errors, problem, isSending } = useForm({
    rules: { word: { check: checkWord }, ...noteRules(isRequired) },
    send: async (values) => {
      if (!isProposed) return { answer: await send(noteOf(values)) };
      const { flag, environment: at } = words;
      const note = noteOf({ ...values, title: values.title || noteTitle });
      return { proposed: await propose([{ flag, environment: at, edit: { kind: edit } }], note) };
    },
    onDone: async ({ answer, proposed }) => {
      if (proposed) {
        onClose();
        return open(proposed, proposedWords(proposed));
      }
      await onDone(answer as Answer);
      return afterChange(client);
    },
  });
  return (
    <FormModal
      title={title}
      about={about}
      size={size}
      {...(look && { kind: 'alert', look })}
      edge={environment.production ? 'production' : 'plain'}
      form={form}
      problem={problem}
      isSending={isSending}
      refusal={whyNot(endpoint)}
      submit={isProposed ? `Propose to ${action.charAt(0).toLowerCase()}${action.slice(1)}` : action}
      onClose={onClose}
    >
      {isProposed && (
        <Notice kind="plain">
          This needs the approval of someone else in {environment.name}. Nothing changes until they approve it and it is
          applied.
        </Notice>
      )}
      {children}
      {mustType !== undefined && (
        <Field
          name="word"
          label={`Type ${mustType} to confirm`}
          face="name"
          autoComplete="off"
          spellCheck={false}
          hint="This is production."
          error={errors.word}
          autoFocus
        />
      )}
      <NoteFields isReason isFirst={mustType === undefined} isRequired={isRequired} title={noteTitle} errors={errors} />
    </FormModal>
  );
}

/** The effect on all keys of killing or restoring the definition. */
function KilledEffect({ saved, killed }: { readonly saved: ExpandedDefinition; readonly killed: boolean }) {
  const { environment, order } = useEditor();
  const [now, after] = useMemo(() => {
    const targeting = toTargeting(saved);
    return [targeting, { ...targeting, killed }];
  }, [saved, killed]);
  const effect = useEffectOf(environment.id, now, after);
  return <EffectView effect={effect} defaultTreatment={saved.defaultTreatment} order={order} />;
}
