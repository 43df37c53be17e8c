/** The access page's draft: what is shown, how it changes, and how it is saved. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import { listChanges } from '#contract/changes.ts';
import { listEnvironments } from '#contract/environments.ts';
import { changeProjectAccess, getProjectAccess } from '#contract/restrictions.ts';
import { explainAccess, listGrantedRights } from '#contract/rights.ts';
import type { ProjectAccess, ProjectAccessUpdate } from '#domain/rights.ts';
import { call, keyOf, reading } from '../../../server/api.ts';
import type { ApiProblem } from '../../../server/api-problem.ts';
import { useMay, useMe } from '../../../server/session.ts';
import { toast } from '../../../state/toasts.ts';
import {
  type AccessDraft,
  countChanges,
  mergeAccess,
  type SavedAccess,
  updateOf,
  useAccessDraft,
} from './access-draft.ts';

export const accessReading = (project: string) => reading(getProjectAccess, { params: { project } });

export interface Editing {
  /** What was saved when editing began, or else what is saved. */
  readonly base: SavedAccess;
  /** What the page shows: after saving. */
  readonly access: ProjectAccess;
  /** How many lists and settings differ. */
  readonly changes: number;
  readonly mayChange: boolean;
  edit(change: (access: ProjectAccess) => ProjectAccess): void;
  discard(): void;
  /** Someone else has saved since editing began. */
  readonly isBehind: boolean;
  /** Adds their changes to the draft. */
  catchUp(): void;
  save(): void;
  readonly isSaving: boolean;
  readonly problem: ApiProblem | null;
}

export const EditingContext = createContext<Editing | null>(null);

export function useEditing(): Editing {
  const editing = useContext(EditingContext);
  if (!editing) throw new Error('outside of the access page');
  return editing;
}

export function useAccessEditing(saved: SavedAccess): Editing {
  const { user } = useMe();
  const may = useMay();
  const { draft: stored, setDraft } = useAccessDraft(user.id, saved.id);
  const draft = current(stored, saved);
  const { base, access } = draft;
  const update = useMemo(() => updateOf(base, access), [base, access]);
  const changes = countChanges(update);
  const { save, reset, isSaving, problem } = useSave(saved.id, setDraft);
  return {
    base,
    access,
    changes,
    mayChange: may(changeProjectAccess),
    edit: (change) =>
      setDraft((before) => {
        const now = current(before, saved);
        return { base: now.base, access: change(now.access) };
      }),
    discard: () => {
      reset();
      setDraft(() => undefined);
    },
    isBehind: base.etag !== saved.etag,
    catchUp: () => {
      reset();
      setDraft(() => ({ base: saved, access: mergeAccess(base, access, saved) }));
    },
    save: () => save({ draft, update }),
    isSaving,
    // `isBehind` says it better.
    problem: problem?.status === 412 ? null : problem,
  };
}

/** A draft without effect does not hold on to a state that others have changed. */
function current(draft: AccessDraft | undefined, saved: SavedAccess): AccessDraft {
  const isHeld = draft && (draft.base.etag === saved.etag || countChanges(updateOf(draft.base, draft.access)) > 0);
  return isHeld ? draft : { base: saved, access: saved };
}

interface Sent {
  readonly draft: AccessDraft;
  readonly update: ProjectAccessUpdate;
}

function useSave(project: string, setDraft: ReturnType<typeof useAccessDraft>['setDraft']) {
  const client = useQueryClient();
  const { queryKey } = accessReading(project);
  const mutation = useMutation<SavedAccess, ApiProblem, Sent>({
    mutationFn: ({ draft, update }) =>
      call(changeProjectAccess, { params: { project }, body: update, ifMatch: draft.base.etag }),
    onSuccess: async (answer, { draft: sent }) => {
      client.setQueryData(queryKey, answer);
      setDraft((now) =>
        !now || now.access === sent.access
          ? undefined
          : { base: answer, access: mergeAccess(sent.access, now.access, answer) },
      );
      toast('Saved access.');
      await Promise.all([
        client.invalidateQueries({ queryKey: keyOf(listChanges) }),
        client.invalidateQueries({ queryKey: keyOf(explainAccess) }),
        client.invalidateQueries({ queryKey: keyOf(listGrantedRights) }),
        client.invalidateQueries({ queryKey: keyOf(listEnvironments) }),
      ]);
    },
    onError: ({ status }) => {
      if (status === 412) void client.invalidateQueries({ queryKey });
    },
  });
  const { mutate: save, reset, isPending: isSaving, error: problem } = mutation;
  return { save, reset, isSaving, problem };
}
