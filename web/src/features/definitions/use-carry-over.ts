/** Somebody else saved the definition while this page showed it: the draft is carried over, and the person is told. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Difference, differencesBetween } from '#domain/differences.ts';
import type { ExpandedDefinition } from '#domain/expansions.ts';
import { type Draft, type DraftPlace, readDraft, writeDraft } from '../../drafts.ts';
import { fetchEditorName } from '../../EditorName.tsx';
import { useFlag } from '../../flag.ts';
import { type Environment, useProject } from '../../project.ts';
import { useMe } from '../../session.ts';
import { differenceTitle } from '../../targeting/difference-words.ts';
import { targetingOf } from '../../targeting/targeting-of.ts';
import { toast } from '../../toasts.ts';
import { changesReading } from './changes.ts';
import { ruleStep } from './complaints.ts';
import type { Editing } from './use-editing.ts';

/** Answers the steps that somebody else has just changed. */
export function useCarryOver({ place, saved, draft }: Editing, environment: Environment): ReadonlySet<string> {
  const before = useRef(saved);
  const [news, setNews] = useState<ReadonlySet<string>>(new Set());
  const tell = useTell(environment, (old, now) => setNews(stepsChanged(old, now)));
  const hasDraft = draft !== undefined;
  const outdated = draft && draft.etag !== (saved?.etag ?? null) ? draft : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what counts is that what is saved, or its draft, is another
  useEffect(() => {
    const old = before.current;
    before.current = saved;
    const rebasing = outdated ? rebase(place, outdated, saved) : Promise.resolve(0);
    if (old?.etag !== saved?.etag) void rebasing.then((conflicts) => tell(old, saved, { hasDraft, conflicts }));
  }, [saved, outdated]);
  return news;
}

/** Merging is loaded when it is needed. Answers how many conflicts there are; a draft that changed meanwhile is left. */
async function rebase(place: DraftPlace, draft: Draft, saved: ExpandedDefinition | undefined): Promise<number> {
  const { rebased } = await loadRebase();
  if (readDraft(place) !== draft) return 0;
  const next = rebased(draft, saved);
  writeDraft(place, next);
  return next?.conflicts.length ?? 0;
}

/** Tried until it is here: a draft that is not carried over could never be saved. */
const loadRebase = (): Promise<typeof import('./rebase.ts')> =>
  import('./rebase.ts').catch(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return loadRebase();
  });

function stepsChanged(old: ExpandedDefinition | undefined, now: ExpandedDefinition | undefined): ReadonlySet<string> {
  if (!old || !now) return new Set();
  return new Set(differencesBetween(targetingOf(old), targetingOf(now)).map(stepIdOf));
}

function stepIdOf(difference: Difference): string {
  if (difference.kind === 'rule') return ruleStep(difference.after?.at ?? -1);
  return difference.kind === 'keys' || difference.kind === 'segments' ? 'targets' : difference.kind;
}

interface Outcome {
  readonly hasDraft: boolean;
  readonly conflicts: number;
}

/** Only what others did is news. */
function useTell(
  environment: Environment,
  onNews: (old: ExpandedDefinition | undefined, now: ExpandedDefinition | undefined) => void,
) {
  const client = useQueryClient();
  const project = useProject();
  const flag = useFlag();
  const me = useMe();
  return async (old: ExpandedDefinition | undefined, now: ExpandedDefinition | undefined, outcome: Outcome) => {
    const reading = changesReading(project.id, flag.id, environment.id);
    const changes = await client.fetchQuery({ ...reading, staleTime: 0 }).catch(() => undefined);
    const latest = changes?.data[0];
    if (latest && latest.editor.id === me.user.id) return;
    const who = latest ? await fetchEditorName(client, latest.editor) : 'Somebody else';
    onNews(old, now);
    toast(newsOf(who, { old, now, ...outcome }));
  };
}

interface News extends Outcome {
  readonly old: ExpandedDefinition | undefined;
  readonly now: ExpandedDefinition | undefined;
}

function newsOf(who: string, { old, now, hasDraft, conflicts }: News): string {
  const what = whatChanged(old, now);
  if (conflicts > 0) return `${who} changed ${what}, which you changed too. Choose what to keep.`;
  return hasDraft ? `${who} changed ${what}. Your draft is kept.` : `${who} changed ${what}.`;
}

function whatChanged(old: ExpandedDefinition | undefined, now: ExpandedDefinition | undefined): string {
  if (!now) return 'this: the definition is removed';
  if (!old) return 'this: the flag is defined here now';
  const [first, ...others] = differencesBetween(targetingOf(old), targetingOf(now)).map(differenceTitle);
  if (first === undefined) return 'something here';
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
