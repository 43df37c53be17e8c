import { useNavigate } from '@tanstack/react-router';
import { RotateCcw, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { deleteDefinition, killDefinition, patchDefinition, restoreDefinition } from '#contract/definitions.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { archiveFlag, patchFlag, unarchiveFlag } from '#contract/flags.ts';
import type { Change } from '#domain/changes.ts';
import { recordedTargeting, toTargeting } from '#domain/definitions/definition.ts';
import { rebase } from '#domain/definitions/rebase.ts';
import { type Flag, patchBack } from '#domain/flags.ts';
import { equalJson } from '#domain/json.ts';
import { cutNote, revertTitle } from '#domain/notes.ts';
import { usePropose } from '../../changesets/propose.ts';
import { useEditorName } from '../../kit/EditorName.tsx';
import { explain } from '../../kit/explain.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useFlag } from '../../server/flag.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { useMe } from '../../server/session.ts';
import { type Draft, readDraft, writeDraft } from '../../state/drafts.ts';
import { toast, toastFailure } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import styles from './FlagChange.module.css';

interface Props {
  readonly change: Change;
  readonly environment: Environment;
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Opens a draft in review, unless something must be chosen first. A draft that was there can be had again. */
function useOpenDraft(environment: Environment) {
  const me = useMe();
  const flag = useFlag();
  const project = useProject();
  const navigate = useNavigate();
  return (draft: Draft) => {
    const place = { person: me.user.id, object: flag.id, environment: environment.id };
    const replaced = readDraft(place);
    writeDraft(place, draft);
    if (replaced) {
      const undo = () => {
        if (readDraft(place) === draft) writeDraft(place, replaced);
      };
      toast(`Your draft in ${environment.name} is replaced.`, { label: 'Undo', run: undo });
    }
    void navigate({
      to: '/p/$project/flags/$flag/$environment',
      params: { project: project.name, flag: flag.name, environment: environment.name },
      search: draft.conflicts.length === 0 ? { review: '' } : {},
    });
  };
}

/** Creates a draft from the definition after this change. Keeps the current killed state. */
export function GoBack({ change, environment }: Props) {
  const flag = useFlag();
  const editor = useEditorName(change.editor);
  const open = useOpenDraft(environment);
  const refusal = useWhyNot()(patchDefinition, { owners: flag.owners, environment: environment.id });
  if (change.object.type !== 'definition' || !change.after) return null;
  const saved = flag.definitions.find((definition) => definition.environment.id === environment.id);
  const now = saved && toTargeting(saved);
  const targeting = { ...recordedTargeting(change.after), killed: now?.killed ?? false };
  if (now && equalJson(now, targeting)) return <span className={styles.current}>Current version</span>;
  const goBack = () =>
    open({
      base: now ?? null,
      etag: saved?.etag ?? null,
      targeting,
      conflicts: [],
      title: `Go back to the version of ${exact.format(change.createdAt)}`,
      comment: cutNote([`Saved by ${editor}.`, change.title, change.comment].filter(Boolean).join('\n')),
    });
  return (
    <Button look="quiet" size="small" refusal={refusal} onClick={goBack}>
      <Undo2 size={13} aria-hidden /> Go back to this version
    </Button>
  );
}

/** Takes one change back and keeps what was changed since. What was a switch is switched back by its own dialog. */
export function Revert({
  change,
  environment,
}: {
  readonly change: Change;
  readonly environment?: Environment | undefined;
}) {
  if (change.object.type === 'flag') return <RevertDetails change={change} />;
  if (!environment || change.object.type !== 'definition') return null;
  return change.before && change.after && !switches.has(change.auditLogType) ? (
    <RevertTargeting change={change} environment={environment} />
  ) : (
    <SwitchBack change={change} environment={environment} />
  );
}

const switches = new Set(['definition.killed', 'definition.restored']);

function RevertTargeting({ change, environment }: Props) {
  const flag = useFlag();
  const comment = useRevertComment(change);
  const open = useOpenDraft(environment);
  const refusal = useWhyNot()(patchDefinition, { owners: flag.owners, environment: environment.id });
  const saved = flag.definitions.find((definition) => definition.environment.id === environment.id);
  const [before, after] = [recordedTargeting(change.before), recordedTargeting(change.after)];
  if (!saved || equalJson(before, after)) return null;
  const revert = () => {
    const next = rebase({ base: after, targeting: before, conflicts: [] }, toTargeting(saved));
    if (!next) return toast('This change has already been reverted.');
    open({ ...next, etag: saved.etag, isRevert: true, title: titleOfRevert(change), comment });
  };
  return <RevertButton refusal={refusal} onClick={revert} />;
}

const titleOfRevert = ({ title, createdAt }: Change): string =>
  title === undefined ? `Revert the change of ${exact.format(createdAt)}` : revertTitle(title);

const useRevertComment = ({ editor, createdAt }: Change): string =>
  `Takes back a change by ${useEditorName(editor)} of ${exact.format(createdAt)}.`;

interface Switch {
  readonly dialog: 'kill' | 'restore' | 'remove';
  readonly endpoint: Endpoint;
}

const switchesBack: Readonly<Record<string, Switch>> = {
  'definition.killed': { dialog: 'restore', endpoint: restoreDefinition },
  'definition.restored': { dialog: 'kill', endpoint: killDefinition },
  'definition.created': { dialog: 'remove', endpoint: deleteDefinition },
  'definition.undeleted': { dialog: 'remove', endpoint: deleteDefinition },
};

/** Offered only while the switch is still as the change left it. */
function SwitchBack({ change, environment }: Props) {
  const flag = useFlag();
  const project = useProject();
  const navigate = useNavigate();
  const whyNot = useWhyNot();
  const back = switchesBack[change.auditLogType];
  const saved = flag.definitions.find((definition) => definition.environment.id === environment.id);
  if (!back || !saved) return null;
  const isStill =
    back.dialog === 'remove'
      ? equalJson(toTargeting(saved), recordedTargeting(change.after))
      : saved.killed === (back.dialog === 'restore');
  if (!isStill) return null;
  const params = { project: project.name, flag: flag.name, environment: environment.name };
  return (
    <RevertButton
      refusal={whyNot(back.endpoint, { owners: flag.owners, environment: environment.id })}
      onClick={() =>
        void navigate({ to: '/p/$project/flags/$flag/$environment', params, search: { [back.dialog]: '' } })
      }
    />
  );
}

/** Description, tags and status: a changeset, since they have no drafts. */
function RevertDetails({ change }: { readonly change: Change }) {
  const flag = useFlag();
  const navigate = useNavigate();
  const whyNot = useWhyNot();
  const { create, open } = usePropose();
  const comment = useRevertComment(change);
  const [isSending, setSending] = useState(false);
  const { auditLogType: type, before, after } = change;
  const dialog = type === 'flag.archived' ? 'unarchive' : type === 'flag.unarchived' ? 'archive' : undefined;
  if (dialog !== undefined) {
    const isStill = (flag.archivedAt !== undefined) === (dialog === 'unarchive');
    const endpoint = dialog === 'archive' ? archiveFlag : unarchiveFlag;
    return isStill ? (
      <RevertButton
        refusal={whyNot(endpoint, { owners: flag.owners })}
        onClick={() => void navigate({ to: '.', search: (all) => ({ ...all, [dialog]: '' }) })}
      />
    ) : null;
  }
  if (!ofDetails.has(type) || !before || !after) return null;
  const { operations, conflicts } = patchBack(before as Flag, after as Flag, flag);
  if (operations.length + conflicts.length === 0) return null;
  const revert = async () => {
    setSending(true);
    try {
      const note = { title: titleOfRevert(change), comment };
      const made = await create([{ flag: flag.name, edit: { kind: 'patch', operations } }], note);
      await open(made, 'Here is the draft. Nothing has changed yet.');
    } catch (problem) {
      setSending(false);
      toastFailure(`Not drafted: ${explain(problem as ApiProblem)}`);
    }
  };
  const since = conflicts.length > 0 ? `Someone changed ${conflicts.join(' and ')} again since.` : undefined;
  return (
    <RevertButton
      isBusy={isSending}
      refusal={whyNot(patchFlag, { owners: flag.owners }) ?? since}
      onClick={() => void revert()}
    />
  );
}

/** Their states are those of the flag. */
const ofDetails: ReadonlySet<string> = new Set(['flag.patched', 'flag.described', 'flag.tagged']);

interface ButtonProps {
  readonly refusal: string | undefined;
  readonly isBusy?: boolean;
  readonly onClick: () => void;
}

const RevertButton = ({ isBusy = false, ...props }: ButtonProps) => (
  <Button look="quiet" size="small" isBusy={isBusy} {...props}>
    <RotateCcw size={13} aria-hidden /> Revert…
  </Button>
);
