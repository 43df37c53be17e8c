/** Saves a draft: creates a definition, or patches one that must not have changed since. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { createDefinition, patchDefinition } from '#contract/definitions.ts';
import { listFlags } from '#contract/flags.ts';
import type { Definition } from '#domain/definitions/definition.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { call, keyOf } from '../../../server/api.ts';
import { type ApiProblem, complaintsOf } from '../../../server/api-problem.ts';
import { flagReading, useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import type { Draft } from '../../../state/drafts.ts';
import { toastFailure } from '../../../state/toasts.ts';
import { discardSent } from '../../../targeting/draft-edits.ts';
import { keepDefinition } from '../editing/definitions.ts';
import { useDialogs } from '../editing/dialogs.ts';
import { useEditor } from '../editing/editor.ts';

export interface Note {
  readonly title: string | undefined;
  readonly comment: string | undefined;
}

export function useDefinitionParams() {
  const { environment } = useEditor();
  return { project: useProject().id, flag: useFlag().name, environment: environment.id };
}

export function useSave() {
  const client = useQueryClient();
  const params = useDefinitionParams();
  const { place, setAttempted } = useEditor();
  const dialogs = useDialogs();
  const send = async (draft: Draft, note: Note) => {
    let saved: Pick<Definition, 'lastUpdateTime'>;
    if (draft.base) {
      const body = diffTargeting(draft.base, draft.targeting);
      const ifMatch = draft.etag ?? undefined;
      const patched = await call(patchDefinition, { params, query: note, body, ifMatch });
      await keepDefinition(client, params, patched);
      saved = patched;
    } else {
      saved = await call(createDefinition, { params, query: note, body: draft.targeting });
      // The response lacks the seeds that the page needs.
      await refresh(client, params);
    }
    discardSent(place, draft);
    afterChange(client);
    return saved;
  };
  return (draft: Draft, note: Note) =>
    send(draft, note).catch(async (problem: ApiProblem) => {
      const gone = flagsNotThere(problem);
      if (gone.length > 0) {
        // Rereading the missing flags marks the rules that depend on them.
        await Promise.all(gone.map((flag) => refresh(client, { ...params, flag })));
        dialogs.close();
        setAttempted(true);
        toastFailure(`Not saved: a rule depends on ${gone.join(', ')}, which no longer exists.`);
      }
      throw problem;
    });
}

const flagsNotThere = (problem: ApiProblem): string[] =>
  complaintsOf(problem).flatMap((text) => /depends\/splitName (\S+) is not a flag/.exec(text)?.[1] ?? []);

/** Refetches the flag. */
export const refresh = (client: QueryClient, { project, flag }: { project: string; flag: string }) =>
  client.invalidateQueries({ queryKey: flagReading(project, flag).queryKey });

/** Someone else saved first. Saving is impossible until their version is loaded. */
export const readOthers = (client: QueryClient, { project, flag }: { project: string; flag: string }) =>
  client
    .invalidateQueries({ queryKey: flagReading(project, flag).queryKey }, { throwOnError: true })
    .catch(() =>
      toastFailure('Not saved: someone else changed this, and their change could not be loaded. Try again.'),
    );

/** Invalidates everything else that shows the definition or its activity. */
export function afterChange(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: keyOf(listChanges) });
  void client.invalidateQueries({ queryKey: keyOf(listFlags) });
}
