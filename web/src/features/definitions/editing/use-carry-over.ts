/** Someone else saved the open definition: rebases the draft and says so. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { toTargeting } from '#domain/definitions/definition.ts';
import { type Difference, differencesBetween } from '#domain/definitions/differences.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { useFlag } from '../../../server/flag.ts';
import { type Environment, useProject } from '../../../server/project.ts';
import { useMe } from '../../../server/session.ts';
import { definitionAt } from '../../../state/drafts.ts';
import { isOutdated, rebaseDraft } from '../../../targeting/draft-edits.ts';
import { changesReading } from './changes.ts';
import { ruleStep } from './complaints.ts';
import type { News } from './news.ts';
import { type Editing, versionOf } from './use-editing.ts';

/** Returns the steps that someone else just changed. */
export function useCarryOver({ place, saved, draft }: Editing, environment: Environment): ReadonlySet<string> {
  const before = useRef(saved);
  const [news, setNews] = useState<ReadonlySet<string>>(new Set());
  const announce = useAnnounce(environment, definitionAt(place));
  const hasDraft = draft !== undefined;
  const isFirst = useRef(true);
  const outdated = draft && (saved ? isOutdated(draft, saved) : draft.etag !== null) ? draft : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the saved version or its draft changes
  useEffect(() => {
    const old = before.current;
    // Another tab may have a draft of a definition that was created since this one looked.
    const isUnknown = !saved && !old && !isFirst.current;
    before.current = saved;
    isFirst.current = false;
    const rebasing =
      outdated && !isUnknown ? rebaseDraft(place, outdated, saved && versionOf(saved)) : Promise.resolve(0);
    if (old?.etag === saved?.etag) return;
    void rebasing
      .then((conflicts) => announce({ old, now: saved, hasDraft, conflicts }))
      .then((isNews) => isNews && setNews(stepsChanged(old, saved)));
  }, [saved, outdated]);
  return news;
}

function stepsChanged(old: ExpandedDefinition | undefined, now: ExpandedDefinition | undefined): ReadonlySet<string> {
  if (!old || !now) return new Set();
  return new Set(differencesBetween(toTargeting(old), toTargeting(now)).map(stepIdOf));
}

function stepIdOf(difference: Difference): string {
  if (difference.kind === 'rule') return ruleStep(difference.after?.at ?? -1);
  return difference.kind === 'keys' || difference.kind === 'segments' ? 'targets' : difference.kind;
}

function useAnnounce(environment: Environment, about: string) {
  const client = useQueryClient();
  const reading = changesReading(useProject().id, useFlag().id, environment.id);
  const me = useMe().user.id;
  return async (news: News): Promise<boolean> => {
    const { tellNews } = await import('./news.ts');
    return tellNews({ client, reading, me, about }, news);
  };
}
