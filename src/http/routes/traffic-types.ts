import { createTrafficType, deleteTrafficType } from '#commands/traffic-types.ts';
import * as contract from '#contract/traffic-types.ts';
import type { Project } from '#domain/projects.ts';
import type { TrafficType, TrafficTypeReply } from '#domain/traffic-types.ts';
import type { Reader } from '#store/sql.ts';
import { listTrafficTypes } from '#store/traffic-types.ts';
import { implement } from '../implement.ts';
import { resolveTrafficTypeById } from '../resolve.ts';

export const trafficTypes = (db: Reader) =>
  implement(contract, {
    listTrafficTypes: async ({ project }) =>
      (await listTrafficTypes(db, project.id)).map((trafficType) => toReply(trafficType, project)),
    createTrafficType: async ({ context, project, body }) =>
      toReply(await createTrafficType(context, project, body), project),
    deleteTrafficType: async ({ actor, context, words }) =>
      deleteTrafficType(context, await resolveTrafficTypeById(db, actor, words.trafficTypeId)),
  });

const toReply = ({ id, name, displayAttributeId }: TrafficType, project: Project): TrafficTypeReply => ({
  name,
  type: 'trafficType',
  id,
  displayAttributeId,
  workspace: { id: project.id, name: project.name, type: 'workspace' },
});
