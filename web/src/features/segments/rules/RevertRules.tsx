import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { getRuleBasedDefinition, replaceRuleBasedDefinition } from '#contract/rule-based-segments.ts';
import type { Change } from '#domain/changes.ts';
import { revertTitle } from '#domain/notes.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import { toSegmentTargeting } from '#domain/segment-targeting.ts';
import { reading } from '../../../server/api.ts';
import { type Environment, useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { readDraft, writeDraft } from '../../../state/drafts.ts';
import { toast } from '../../../state/toasts.ts';
import { Button } from '../../../ui/Button.tsx';
import type { SegmentAnswer } from '../segments-query.ts';
import { useDraftPlace } from './use-rules.ts';

interface Props {
  readonly segment: SegmentAnswer;
  readonly environment: Environment;
  readonly change: Change;
}

/** Takes one change of the rules back, as a draft on this page, and keeps what was changed since. */
export function RevertRules({ segment, environment, change }: Props) {
  const params = { project: useProject().id, ruleBasedSegment: segment.name, environment: environment.id };
  const { data: saved } = useQuery(reading(getRuleBasedDefinition, { params }));
  const place = useDraftPlace(segment, environment.id);
  const refusal = useWhyNot()(replaceRuleBasedDefinition, { environment: environment.id });
  if (!saved) return null;
  const revert = async () => {
    const { rebase } = await import('#domain/definitions/rebase.ts');
    const [targeting, base] = [change.before, change.after].map((one) => toSegmentTargeting(one as SegmentRules));
    const next = targeting && base && rebase({ base, targeting, conflicts: [] }, toSegmentTargeting(saved));
    if (!next) return toast('This change has already been reverted.');
    const replaced = readDraft(place);
    const title = change.title === undefined ? 'Revert a change of the rules' : revertTitle(change.title);
    const draft = { ...next, etag: saved.etag, isRevert: true, title };
    writeDraft(place, draft);
    const undo = () => {
      if (readDraft(place) === draft) writeDraft(place, replaced);
    };
    toast('Drafted. Nothing has changed yet.', { label: 'Undo', run: undo });
  };
  return (
    <Button look="quiet" size="small" refusal={refusal} onClick={() => void revert()}>
      <RotateCcw size={13} aria-hidden /> Revert…
    </Button>
  );
}
