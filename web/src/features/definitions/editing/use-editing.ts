/** The editing state of one definition: saved version, draft and differences. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { dependenciesOf, type Targeting, toTargeting } from '#domain/definitions/definition.ts';
import { type Difference, differencesBetween } from '#domain/definitions/differences.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { ApiProblem } from '../../../server/api-problem.ts';
import { flagReading, useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { useMe } from '../../../server/session.ts';
import { type Draft, type DraftPlace, useDraftOf, writeDraft } from '../../../state/drafts.ts';
import { changeDraft, discardDraft, type Version } from '../../../targeting/draft-edits.ts';
import { type Complaint, complaintsAbout } from './complaints.ts';

export interface Editing {
  readonly place: DraftPlace;
  /** The saved definition; undefined if the flag is not defined. */
  readonly saved: ExpandedDefinition | undefined;
  readonly savedTargeting: Targeting | undefined;
  readonly draft: Draft | undefined;
  /** What the page shows: the draft, or else the saved version. */
  readonly targeting: Targeting | undefined;
  /** What saving would change. Empty for a new definition. */
  readonly differences: readonly Difference[];
  readonly complaints: readonly Complaint[];
  /** Flags that its rules depend on but that no longer exist. */
  readonly gone: ReadonlySet<string>;
  /** Edits what the page shows. An edit back to the saved version removes the draft. */
  readonly change: (edit: (targeting: Targeting) => Targeting) => void;
  readonly discard: () => void;
}

export function useEditing(environmentId: string, saved: ExpandedDefinition | undefined): Editing {
  const me = useMe();
  const flag = useFlag();
  const place = { person: me.user.id, object: flag.id, environment: environmentId };
  const draft = useDraftOf(place);
  const savedTargeting = useMemo(() => saved && toTargeting(saved), [saved]);
  const targeting = draft?.targeting ?? savedTargeting;
  const differences = useMemo(
    () => (savedTargeting && draft ? differencesBetween(savedTargeting, draft.targeting) : []),
    [savedTargeting, draft],
  );
  const gone = useGoneFlags(targeting);
  const complaints = useMemo(
    () => (draft ? complaintsAbout(draft.targeting, flag.name, addedTo(savedTargeting, gone)) : []),
    [draft, savedTargeting, flag.name, gone],
  );
  return {
    place,
    saved,
    savedTargeting,
    draft,
    targeting,
    differences,
    complaints,
    gone,
    change: (edit) => changeDraft(place, saved && versionOf(saved), edit),
    discard: () => discardDraft(place),
  };
}

/** A definition may keep flags that were deleted since it was saved, but not get new ones. */
function addedTo(saved: Targeting | undefined, gone: ReadonlySet<string>): ReadonlySet<string> {
  const kept = saved ? dependenciesOf(saved) : [];
  return new Set([...gone].filter((name) => !kept.includes(name)));
}

export const versionOf = (saved: ExpandedDefinition): Version => ({ targeting: toTargeting(saved), etag: saved.etag });

/** Starts a draft from a whole definition: a template, a copy, an earlier version. */
export function beginDraft(
  place: DraftPlace,
  saved: ExpandedDefinition | undefined,
  next: Pick<Draft, 'targeting' | 'title'>,
): void {
  writeDraft(place, {
    base: saved ? toTargeting(saved) : null,
    etag: saved?.etag ?? null,
    conflicts: [],
    ...next,
  });
}

/** Flags that rules depend on but that no longer exist. Costs no request: "Who sees what" reads the same flags. */
function useGoneFlags(targeting: Targeting | undefined): ReadonlySet<string> {
  const project = useProject();
  const names = targeting ? dependenciesOf(targeting) : [];
  const answers = useQueries({
    queries: names.map((name) => ({
      ...flagReading(project.id, name),
      refetchInterval: false as const,
      enabled: name !== '',
    })),
  });
  const gone = names.filter((_, index) => isNotFound(answers[index]?.error)).join(' ');
  return useMemo(() => new Set(gone.split(' ').filter(Boolean)), [gone]);
}

const isNotFound = (problem: unknown): boolean => problem instanceof ApiProblem && problem.status === 404;
