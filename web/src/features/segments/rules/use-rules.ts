/** The rules of a segment in an environment: the saved version, the draft and its differences. */
import { useEffect, useMemo, useRef } from 'react';
import type { getRuleBasedDefinition } from '#contract/rule-based-segments.ts';
import type { Targeting } from '#domain/definitions/definition.ts';
import { type Difference, differencesBetween } from '#domain/definitions/differences.ts';
import { toSegmentTargeting } from '#domain/segment-targeting.ts';
import type { Answer } from '../../../server/api.ts';
import { useMe } from '../../../server/session.ts';
import { type Draft, type DraftPlace, useDraftOf } from '../../../state/drafts.ts';
import { toast } from '../../../state/toasts.ts';
import { changeDraft, discardDraft, isOutdated, rebaseDraft, type Version } from '../../../targeting/draft-edits.ts';
import { matcherComplaint } from '../../../targeting/matcher-complaint.ts';
import type { SegmentAnswer } from '../segments-query.ts';

export type SegmentDefinition = Answer<typeof getRuleBasedDefinition>;

export interface RulesEditing {
  readonly place: DraftPlace;
  readonly draft: Draft | undefined;
  /** The draft, or else the saved version. */
  readonly targeting: Targeting;
  /** What saving would change. */
  readonly differences: readonly Difference[];
  /** What prevents saving, for each rule. */
  readonly complaints: readonly (readonly string[])[];
  readonly change: (edit: (targeting: Targeting) => Targeting) => void;
  readonly discard: () => void;
}

export function useDraftPlace({ id = '' }: SegmentAnswer, environment: string): DraftPlace {
  return { person: useMe().user.id, object: id, environment };
}

export function useRules(place: DraftPlace, saved: SegmentDefinition): RulesEditing {
  const draft = useDraftOf(place);
  const version = useMemo(() => ({ targeting: toSegmentTargeting(saved), etag: saved.etag }), [saved]);
  const targeting = draft?.targeting ?? version.targeting;
  const differences = useMemo(
    () => (draft ? differencesBetween(version.targeting, draft.targeting) : []),
    [version, draft],
  );
  const complaints = useMemo(
    () =>
      targeting.rules.map(({ condition }) => condition.matchers.flatMap((one) => matcherComplaint(one)?.words ?? [])),
    [targeting],
  );
  useCarryOver(place, version, draft);
  return {
    place,
    draft,
    targeting,
    differences,
    complaints,
    change: (edit) => changeDraft(place, version, edit),
    discard: () => discardDraft(place),
  };
}

/** Someone else saved while there is a draft: rebases it and says so. Without a draft, the page just shows theirs. */
function useCarryOver(place: DraftPlace, version: Version, draft: Draft | undefined): void {
  const outdated = draft && isOutdated(draft, version) ? draft : undefined;
  const announced = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the saved version or its draft changes
  useEffect(() => {
    if (!outdated) return;
    void rebaseDraft(place, outdated, version).then((conflicts) => {
      if (announced.current === version.etag) return;
      announced.current = version.etag;
      toast(
        conflicts > 0
          ? 'Someone else changed rules that you edited too. Choose which version to keep.'
          : 'Someone else changed the rules. Your draft is kept.',
      );
    });
  }, [version, outdated]);
}
