/** Proposes changes instead of making them: a changeset, for which approval is asked at once. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  changeChangeset,
  createChangeset,
  listChangesets,
  requestChangeset,
  withdrawChangeset,
} from '#contract/changesets.ts';
import { scheduleChangeset } from '#contract/schedules.ts';
import type { NewOperation, ScheduleRequest } from '#domain/changesets.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { call, keyOf } from '../server/api.ts';
import { useProject } from '../server/project.ts';
import { useWhyNot } from '../server/rights.ts';
import { useMay } from '../server/session.ts';
import type { Draft } from '../state/drafts.ts';
import { toast } from '../state/toasts.ts';
import { type ChangesetAnswer, changesetReading, keepChangeset } from './changesets-query.ts';

interface Note {
  readonly title: string | undefined;
  readonly comment: string | undefined;
}

/** What saving the draft would do, as an operation. Refused with 412 if someone has saved since. */
export const operationOf = (
  { base, targeting, etag }: Pick<Draft, 'base' | 'targeting' | 'etag'>,
  place: { readonly flag: string; readonly environment: string },
): NewOperation => ({
  ...place,
  edit: base ? { kind: 'patch', operations: diffTargeting(base, targeting) } : { kind: 'create', body: targeting },
  ...(base && etag !== null ? { ifMatch: etag } : {}),
});

/** Whether the user can propose changes to what they see here. */
export function useMayPropose(): boolean {
  const may = useMay();
  return useWhyNot()(createChangeset) === undefined && may(createChangeset);
}

export function usePropose() {
  const client = useQueryClient();
  const project = useProject();
  const navigate = useNavigate();
  /** Makes a draft of a changeset. */
  const create = (operations: readonly NewOperation[], { title, comment }: Note): Promise<ChangesetAnswer> =>
    call(createChangeset, {
      body: {
        workspace: { id: project.id },
        ...(title === undefined ? {} : { title }),
        ...(comment === undefined ? {} : { comment }),
        operations: [...operations],
      },
    });
  const openById = async (changeset: string, words: string): Promise<void> => {
    void client.invalidateQueries({ queryKey: keyOf(listChangesets) });
    await navigate({ to: '/p/$project/changesets/$changeset', params: { project: project.name, changeset } });
    toast(words);
  };
  return {
    create,
    /** Makes a changeset and asks for approval. If only asking fails, the draft stays, and its page says so. */
    propose: async (operations: readonly NewOperation[], note: Note): Promise<ChangesetAnswer> => {
      const made = await create(operations, note);
      return call(requestChangeset, { params: { changeset: made.id }, body: {} }).catch(() => made);
    },
    /** Puts operations into an existing changeset, or into a new one. */
    collect: async (into: string, operations: readonly NewOperation[], note: Note): Promise<ChangesetAnswer> => {
      const made =
        into === ''
          ? await create(operations, note)
          : await call(changeChangeset, { params: { changeset: into }, body: { add: [...operations] } });
      await keepChangeset(client, made);
      return made;
    },
    /** Makes a changeset and schedules it. If scheduling is refused, the changeset is withdrawn. */
    schedule: async (operation: NewOperation, body: ScheduleRequest, note: Note): Promise<ChangesetAnswer> => {
      const made = await create([operation], note);
      const params = { changeset: made.id };
      try {
        return await call(scheduleChangeset, { params, body });
      } catch (problem) {
        await call(withdrawChangeset, { params }).catch(() => undefined);
        throw problem;
      }
    },
    /** Shows it. */
    open: (changeset: ChangesetAnswer, words: string) => {
      client.setQueryData(changesetReading(changeset.id).queryKey, changeset);
      return openById(changeset.id, words);
    },
    openById,
  };
}

/** What the page says after scheduling. */
export const scheduledWords = ({ status }: ChangesetAnswer): string =>
  status === 'SCHEDULE_REQUESTED' ? 'Scheduled. Someone else must approve it.' : 'Scheduled.';

/** What the page says after proposing. */
export const proposedWords = ({ status }: Pick<ChangesetAnswer, 'status'>): string =>
  status === 'REQUESTED'
    ? 'Proposed. Someone else must approve it.'
    : status === 'APPROVED'
      ? 'Proposed. It needs no approval: whoever may edit it can apply it.'
      : 'Drafted. Approval could not be asked for yet.';
