import * as contract from '#contract/rollout-statuses.ts';
import { listRolloutStatuses } from '#store/rollout-statuses.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';
import { resolveProject } from '../pipeline/resolve.ts';

export const rolloutStatuses = (db: Reader) =>
  implement(contract, {
    listRolloutStatuses: async ({ actor, query }) => {
      const project = await resolveProject(db, actor, query.wsId);
      return listRolloutStatuses(db, project.id);
    },
    listRolloutStatusesOfProject: async ({ project }) => listRolloutStatuses(db, project.id),
  });
