/** What happens to drafts, of flags and of segments. */
import type { Targeting } from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { equalJson } from '#domain/json.ts';
import { isNewer } from '#domain/revisions.ts';
import { type Draft, type DraftPlace, readDraft, writeDraft } from '../state/drafts.ts';
import { toast } from '../state/toasts.ts';

/** A saved version. */
export interface Version {
  readonly targeting: Targeting;
  readonly etag: string;
}

/**
 * An edit back to the saved version removes the draft. Reads the draft again, so that two edits in a row do not both
 * start from the rendered one.
 */
export function changeDraft(
  place: DraftPlace,
  saved: Version | undefined,
  edit: (targeting: Targeting) => Targeting,
): void {
  const draft = readDraft(place) ?? (saved && newDraft(saved));
  if (!draft) return;
  const targeting = edit(draft.targeting);
  const isUnchanged = draft.base !== null && differencesBetween(draft.base, targeting).length === 0;
  writeDraft(place, isUnchanged && draft.conflicts.length === 0 ? undefined : { ...draft, targeting });
}

const newDraft = ({ targeting, etag }: Version): Draft => ({ base: targeting, etag, targeting, conflicts: [] });

export function discardDraft(place: DraftPlace): void {
  const draft = readDraft(place);
  writeDraft(place, undefined);
  // Never overwrites a newer draft.
  const undo = () => {
    if (!readDraft(place)) writeDraft(place, draft);
  };
  toast('Draft discarded.', { label: 'Undo', run: undo });
}

/** After it was saved or proposed. Keeps edits made meanwhile, in this tab or another one. */
export function discardSent(place: DraftPlace, { targeting }: Draft): void {
  if (equalJson(readDraft(place)?.targeting, targeting)) writeDraft(place, undefined);
}

/**
 * Whether the draft started from an older version. Another tab may have it from a newer one than this tab has loaded:
 * carried over to an old version and back, it would have conflicts with itself.
 */
export const isOutdated = ({ etag }: Draft, saved: Pick<Version, 'etag'>): boolean =>
  etag === null || isNewer(saved.etag, etag);

/**
 * Someone else saved: the draft continues from their version. Loads the merge code on demand. Returns the number of
 * conflicts. Leaves a draft alone that changed meanwhile.
 */
export async function rebaseDraft(place: DraftPlace, draft: Draft, saved: Version | undefined): Promise<number> {
  const { rebase } = await loadRebase();
  if (readDraft(place) !== draft) return 0;
  const next = rebase(draft, saved?.targeting);
  writeDraft(place, next && { ...draft, ...next, etag: saved?.etag ?? null });
  return next?.conflicts.length ?? 0;
}

/** Retries until it loads, because an outdated draft can never be saved. */
const loadRebase = (): Promise<typeof import('#domain/definitions/rebase.ts')> =>
  import('#domain/definitions/rebase.ts').catch(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return loadRebase();
  });
