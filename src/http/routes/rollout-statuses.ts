import {
  createRolloutStatus,
  deleteRolloutStatus,
  moveRolloutStatus,
  updateRolloutStatus,
} from '#commands/rollout-statuses.ts';
import * as contract from '#contract/rollout-statuses.ts';
import { listRolloutStatuses, listUsedRolloutStatuses } from '#store/rollout-statuses.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';
import { noteOf } from '../pipeline/notes.ts';
import { resolveProject } from '../pipeline/resolve.ts';

export const rolloutStatuses = (db: Reader) =>
  implement(contract, {
    listRolloutStatuses: async ({ actor, query }) => {
      const project = await resolveProject(db, actor, query.wsId);
      return listRolloutStatuses(db, project.id);
    },
    listRolloutStatusesOfProject: async ({ project, query: { expand } }) =>
      expand ? listUsedRolloutStatuses(db, project.id) : listRolloutStatuses(db, project.id),
    createRolloutStatus: async ({ context, project, body }) => createRolloutStatus(context, project, body),
    updateRolloutStatus: async ({ context, project, params: { rolloutStatus: id }, body }) =>
      updateRolloutStatus(context, { project, id }, body),
    moveRolloutStatus: async ({ context, project, params: { rolloutStatus: id }, body: { before } }) =>
      moveRolloutStatus(context, { project, id }, before),
    deleteRolloutStatus: async ({ context, project, params: { rolloutStatus: id }, query, body }) =>
      deleteRolloutStatus(context, { project, id, moveTo: query.moveTo, note: noteOf(query, body) }),
  });
