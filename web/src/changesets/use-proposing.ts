import { useContext, useEffect, useState } from 'react';
import { FlagContext } from '../server/flag.ts';
import { type Draft, type DraftPlace, writeDraft } from '../state/drafts.ts';

interface Drafted {
  readonly draft: Draft | undefined;
  readonly place: DraftPlace;
}

/**
 * Whether someone who may not save edits in order to propose. They choose to; the draft remembers it, so that this
 * survives a reload and applies in other tabs. People who lose the right to save while they edit are asked first.
 */
export function useProposing({ draft, place }: Drafted, cannotSave: string | undefined) {
  const isArchived = useContext(FlagContext)?.archivedAt !== undefined;
  const [hasChosen, setChosen] = useState(false);
  const { person, object, environment } = place;
  useEffect(() => {
    if (hasChosen && draft && !draft.isProposal) {
      writeDraft({ person, object, environment }, { ...draft, isProposal: true });
    }
  }, [hasChosen, draft, person, object, environment]);
  const isChosen = hasChosen || draft?.isProposal === true;
  const isProposing = cannotSave !== undefined && isChosen && !isArchived;
  return { isProposing, refusal: isProposing ? undefined : cannotSave, propose: () => setChosen(true) };
}
