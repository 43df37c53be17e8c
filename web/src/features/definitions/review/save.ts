/** Sends a draft: a definition that is new, or the patch of one that is there and must not have changed meanwhile. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { createDefinition, patchDefinition } from '#contract/definitions.ts';
import { listFlags } from '#contract/flags.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { call, keyOf } from '../../../server/api.ts';
import { type ApiProblem, complaintsOf } from '../../../server/api-problem.ts';
import { flagReading, useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { type Draft, readDraft, writeDraft } from '../../../state/drafts.ts';
import { toastFailure } from '../../../state/toasts.ts';
import { keepDefinition } from '../editing/definitions.ts';
import { useDialogs } from '../editing/dialogs.ts';
import { useEditor } from '../editing/editor.ts';

export interface Note {
  readonly title: string | undefined;
  readonly comment: string | undefined;
}

export function useWords() {
  const { environment } = useEditor();
  return { project: useProject().id, flag: useFlag().name, environment: environment.id };
}

export function useSave() {
  const client = useQueryClient();
  const params = useWords();
  const { place, setAttempted } = useEditor();
  const dialogs = useDialogs();
  const send = async (draft: Draft, note: Note): Promise<void> => {
    if (draft.base) {
      const body = diffTargeting(draft.base, draft.targeting);
      const ifMatch = draft.etag ?? undefined;
      await keepDefinition(client, params, await call(patchDefinition, { params, query: note, body, ifMatch }));
    } else {
      await call(createDefinition, { params, query: note, body: draft.targeting });
      // What the page needs of a new definition (its seeds) is not in the answer.
      await refresh(client, params);
    }
    // What was edited meanwhile is not saved.
    if (readDraft(place)?.targeting === draft.targeting) writeDraft(place, undefined);
    afterChange(client);
  };
  return (draft: Draft, note: Note) =>
    send(draft, note).catch(async (problem: ApiProblem) => {
      const gone = flagsNotThere(problem);
      if (gone.length > 0) {
        // The rules are marked once their flags are known to be gone.
        await Promise.all(gone.map((flag) => refresh(client, { ...params, flag })));
        dialogs.close();
        setAttempted(true);
        toastFailure(`Not saved: a rule depends on ${gone.join(', ')}, which no longer exists.`);
      }
      throw problem;
    });
}

const flagsNotThere = (problem: ApiProblem): string[] =>
  complaintsOf(problem).flatMap((params) => /depends\/splitName (\S+) is not a flag/.exec(params)?.[1] ?? []);

/** Reads the flag anew: the page then sees what others did. */
export const refresh = (client: QueryClient, { project, flag }: { project: string; flag: string }) =>
  client.invalidateQueries({ queryKey: flagReading(project, flag).queryKey });

/** Somebody else was faster: until the page has read what they did, nothing can be saved. */
export const readOthers = (client: QueryClient, { project, flag }: { project: string; flag: string }) =>
  client
    .invalidateQueries({ queryKey: flagReading(project, flag).queryKey }, { throwOnError: true })
    .catch(() =>
      toastFailure('Not saved: someone else changed this, and their change could not be loaded. Try again.'),
    );

/** What else shows the definition or what was done to it is old now. */
export function afterChange(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: keyOf(listChanges) });
  void client.invalidateQueries({ queryKey: keyOf(listFlags) });
}
